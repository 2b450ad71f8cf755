"""Tags that span lines in a template are one line in the page."""

from __future__ import annotations

import pytest
from jinja2 import Environment

from webapp.core.rendering.tag_lines import JoinTagLines


@pytest.mark.parametrize(
    ("source", "page"),
    [
        (
            '<a class="x"\n   href="{{ 1 }}"\n   rel="y">text\n  more</a>',
            '<a class="x" href="1" rel="y">text\n  more</a>',
        ),
        (
            '<a\n  href="{% if true %}a > b{% endif %}"\n  hidden>\n</a>',
            '<a href="a > b" hidden>\n</a>',
        ),
        ('<p title="one\n  two">1 < 2\n3 > 2</p>', '<p title="one\n  two">1 < 2\n3 > 2</p>'),
        ("<!-- <a\n b> -->\n<br\n  class='c'>", "<!-- <a\n b> -->\n<br class='c'>"),
        ("{% set a = 1 %}\n<i\n\n  {{ a }}>\n", "\n<i 1>"),
    ],
)
def test_line_breaks_are_removed_only_inside_tags(source: str, page: str) -> None:
    assert Environment(extensions=[JoinTagLines]).from_string(source).render() == page
