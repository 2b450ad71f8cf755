"""Line breaks of a template are in the page only where its reader would see them."""

from pathlib import Path

import pytest
from jinja2 import Environment

from webapp.core.rendering.line_breaks import DropLineBreaks

TEMPLATES = Path(__file__).parents[3] / "templates"


@pytest.mark.parametrize(
    ("source", "page"),
    [
        pytest.param(
            '<a class="x"\n   href="{{ 1 }}"\n   rel="y">text\n  more</a>',
            '<a class="x" href="1" rel="y">text\nmore</a>',
            id="attributes-and-text",
        ),
        pytest.param(
            '<a\n  href="{% if true %}a > b{% endif %}"\n  hidden>\n</a>',
            '<a href="a > b" hidden></a>',
            id="sign-in-a-value",
        ),
        pytest.param(
            '<p title="one\n  two">1 < 2\n3 > 2</p>',
            '<p title="one\ntwo">1 < 2\n3 > 2</p>',
            id="signs-in-a-text",
        ),
        pytest.param(
            "<!-- <a\n b> -->\n<br\n  class='c'>\nz",
            "<!-- <a\n b> --><br class='c'>z",
            id="comment",
        ),
        pytest.param("{% set a = 1 %}\n<i\n\n  {{ a }}>\n", "<i 1>", id="expression-in-a-tag"),
        pytest.param(
            '<a href="b"\n  {% if 1 %} hidden{% endif %}\n  rel="c">',
            '<a href="b" hidden rel="c">',
            id="choice-of-an-attribute",
        ),
        pytest.param(
            '<a class="\n  b\n  {% if 1 %} c{% endif %}\n">',
            '<a class="b c">',
            id="choice-in-a-value",
        ),
        pytest.param(
            "<p>\n  {{ 1 }}\n  {# note #}\n  {% if 1 %}\n  b\n  {% endif %}\n</p>\n",
            "<p>1b</p>",
            id="lines-of-expressions-and-blocks",
        ),
        pytest.param(
            "<b>a</b> <i>b</i>\n{{ ' ' }}<i>c</i>", "<b>a</b> <i>b</i> <i>c</i>", id="spaces"
        ),
    ],
)
def test_a_page_has_the_line_breaks_that_its_reader_sees(source: str, page: str) -> None:
    assert Environment(extensions=[DropLineBreaks]).from_string(source).render() == page


def test_the_texts_of_translations_keep_their_lines_for_the_rule_of_translations() -> None:
    templates = Environment(extensions=["jinja2.ext.i18n", DropLineBreaks])
    templates.policies["ext.i18n.trimmed"] = True
    templates.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    source = "<p>\n  {% trans name=1 %}\n    Written by\n    {{ name }}\n  {% endtrans %}\n</p>"
    assert templates.from_string(source).render() == "<p>Written by 1</p>"


@pytest.mark.parametrize("marker", ["{%-", "-%}", "{{-", "-}}", "{#-", "-#}", "{# #}"])
def test_no_template_has_markers_of_white_space(marker: str) -> None:
    found = [str(path) for path in TEMPLATES.rglob("*.*ml") if marker in path.read_text()]
    assert not found
