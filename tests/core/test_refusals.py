"""Codes that Python and Lua share: of refusals, and of the events of collections."""

import ast
import sys
from collections.abc import Iterator

from tests.support.modules import MODULES, PACKAGE, reads_modules, tree_of
from webapp.accounts.collections.collection import ADD, REMOVE, Collection
from webapp.app import create_app as create_app  # loads every room
from webapp.core.errors import kinds
from webapp.core.errors.script_errors import SCRIPT_ERRORS
from webapp.core.errors.sentences import SENTENCES

pytestmark = reads_modules

KINDS = {
    name
    for name, kind in vars(kinds).items()
    if isinstance(kind, type) and issubclass(kind, kinds.Refused)
}


def refusals() -> Iterator[tuple[str, str]]:
    """Yield each refusal of a page that names no sentence of its own, and where it is."""
    for path in MODULES:
        if {"client_api", "apps", "bots"} & {*path.relative_to(PACKAGE).parts}:
            continue  # apps get the sentences of Mastodon, owners of bots others
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.Call(ast.Name(kind), [ast.Constant(str(code))], []) | ast.Call(
                    ast.Attribute(ast.Name(kind), "unless"), [_, ast.Constant(str(code))]
                ) if kind in KINDS:
                    yield code, f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_each_refusal_has_a_sentence() -> None:
    found = [*refusals(), *((code, script) for script, (_, code) in SCRIPT_ERRORS.items())]
    assert len(found) > 200
    unknown = [(code, where) for code, where in found if code not in SENTENCES]
    assert not unknown, unknown


def test_scripts_of_collections_name_the_events_that_these_emit() -> None:
    collections = {
        id(value): value
        for name, module in [*sys.modules.items()]
        if name.startswith("webapp.")
        for value in vars(module).values()
        if isinstance(value, Collection)
    }.values()
    assert len(collections) >= 6
    added = {one.added for one in collections} - {""}
    removed = {one.removed for one in collections} - {""}
    assert added == {*ADD.header.emits} and removed == {*REMOVE.header.emits}
