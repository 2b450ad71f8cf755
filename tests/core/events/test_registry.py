"""An app is not built of events that nothing applies, nor of projections that nothing calls."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import webapp.app
from webapp.features import feature_modules
from webapp.registry import REGISTRY

PACKAGE = Path(webapp.__file__).parent
ROOMS = (webapp.app, *feature_modules("pages"))  # so all scripts are loaded
DESCRIBED = re.compile(r"^ {4}(\w+(?:, \w+)*) {2,}(\S.*(?:\n {10,}.*)*)", re.M)
EMITTED = re.compile(r"\bemit\('(\w+)'(.*?)\)(?: end)?(?: end)?$", re.M | re.S)
BRACKETS = re.compile(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]")


def described_fields() -> dict[str, set[str]]:
    """Return the fields of each event as the registry describes them, `?` after optional ones."""
    rows = DESCRIBED.findall(webapp.registry.__doc__ or "")
    return {
        name: set(BRACKETS.sub("", fields).split())
        for names, fields in rows
        if not fields.startswith("as ")
        for name in names.split(", ")
    }


def emitted_fields() -> Iterator[tuple[str, set[str], bool]]:
    """Yield each event that a script names, its fields, and whether more may come from a table."""
    for path in PACKAGE.rglob("*.lua"):
        for name, values in EMITTED.findall(path.read_text()):
            while BRACKETS.search(values):
                values = BRACKETS.sub("", values)
            fields = re.findall(r"'(\w+)'", ",".join(values.split(",")[1::2]))
            yield name, set(fields), "unpack" in values


def test_scripts_emit_the_fields_that_the_registry_describes() -> None:
    described, checked = described_fields(), 0
    for name, emitted, is_open in emitted_fields():
        if fields := described.get(name):
            needed = {field for field in fields if not field.endswith("?")}
            assert emitted <= {field.rstrip("?") for field in fields}, name
            assert is_open or needed <= emitted, name
            checked += 1
    assert checked > 60


def test_every_event_has_a_row_and_every_row_an_event() -> None:
    REGISTRY.require_rows()


def test_an_event_without_a_row_is_refused() -> None:
    log = {event: row for event, row in REGISTRY.projections["log"].items() if event != "liked"}
    lacking = replace(REGISTRY, projections={**REGISTRY.projections, "log": log})
    with pytest.raises(ValueError, match=r"without a row: \['liked'\]"):
        lacking.require_rows()


def test_a_row_without_an_event_is_refused() -> None:
    idle = replace(REGISTRY, bulk={**REGISTRY.bulk, "cheered": ()})
    with pytest.raises(ValueError, match=r"without an event: \['cheered'\]"):
        idle.require_rows()
