"""Macros read nothing but their parameters, names of their own file, and globals.

`{% from … import … %}` passes no context: what a view or the context processor gives is undefined
in an imported macro, and Jinja shows nothing in its place.
"""

import re
from pathlib import Path

import pytest
from flask import Flask
from jinja2 import meta, nodes

from tests.support.world import Web

ROOT = Path(__file__).parents[3] / "templates"
IMPORT = re.compile(r"\{%-?\s*(?:from|import)\s+'([^']+)'")
IMPORTED = sorted(
    {name for path in ROOT.rglob("*.*") for name in IMPORT.findall(path.read_text("utf-8"))}
)
DEFINITIONS = (nodes.Macro, nodes.Import, nodes.FromImport, nodes.Assign, nodes.AssignBlock)
OF_MACROS = {"caller", "varargs", "kwargs"}  # Jinja defines them in each macro


def undefined_names(app: Flask, source: str) -> set[str]:
    """Return the names that the macros of a template read and that only a context may define."""
    tree = app.jinja_env.parse(source)
    definitions = [node for node in tree.body if isinstance(node, DEFINITIONS)]
    names = meta.find_undeclared_variables(
        nodes.Template(definitions).set_environment(tree.environment)
    )
    # A name that one branch sets counts as undeclared.
    assigned = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    return names - assigned - app.jinja_env.globals.keys() - OF_MACROS


@pytest.mark.parametrize("name", IMPORTED)
def test_macros_read_no_context(shared_web: Web, name: str) -> None:
    assert undefined_names(shared_web.app, (ROOT / name).read_text("utf-8")) == set()


def test_a_macro_that_reads_the_context_is_found(web: Web) -> None:
    source = "{% macro greet(name) %}{{ url_for('x') }} {{ name }} {{ viewer.name }}{% endmacro %}"
    assert undefined_names(web.app, source) == {"viewer"}


def test_visitors_are_offered_to_sign_up_where_they_are_asked_to_join(web: Web) -> None:
    web.member("ann").post("/statuses", data={"text": "hello #birds", "key": "form-00001"})
    for path in ("/public", "/@ann", "/tags/birds"):
        page = web.client.get(path).text
        prompt = page[page.index("New here?") :].partition("</section>")[0]
        assert f'href="/signup?next={path}"' in prompt, path
