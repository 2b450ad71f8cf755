"""The section ERRORS of a script names how its code refuses, with the includes that it calls."""

import re
from pathlib import Path

import pytest

import webapp
from webapp.core.errors import SCRIPT_ERRORS
from webapp.core.store.script_headers.includes import CALL, FILES, INCLUDE, NO_CODE

PACKAGE = Path(webapp.__file__).parent
SCRIPTS = sorted(path for path in PACKAGE.rglob("*.lua") if path.parent.name != "includes")
FUNCTION = re.compile(r"^local function (\w+)\b(.*?)(?=^local function |\Z)", re.M | re.S)
BODIES = {  # with the lines that name the includes of their files
    match[1]: "".join(map("-- include {}\n".format, INCLUDE.findall(text))) + match[2]
    for text in FILES.values()
    for match in FUNCTION.finditer(text)
}
HEADER = re.compile(r"\A(?:--.*\n)+")
SECTION = re.compile(r"^-- ERRORS\b(.*(?:\n-- {10}.*)*)", re.M)
WORD = re.compile(r"[A-Z]{4,}")
REFUSED = re.compile(r"\brefuse\('([A-Z]+)|(?<!find\(reply\.err, )'([A-Z]{4,})'")
NAMED = re.compile(r"'([A-Z]{4,})[ ']")
OF_THE_LOADER = {"OVERLOADED"}  # of `refuse_when_behind`
GOES_ON = {  # however many events wait: it reads, frees something, or ends what has begun
    *("chat/api/lua/fetch.lua", "chat/api/lua/mark_fetched.lua", "chat/inbox/lua/mark_read.lua"),
    *(f"rewards/market/lua/{name}.lua" for name in ("finish", "note", "withdraw")),
    *(f"rewards/promotions/lua/{name}.lua" for name in ("count", "tick")),
    "statuses/filters/lua/delete_filters.lua",
}


def declared(source: str) -> set[str]:
    """Return the codes of a header, without what it says of them in brackets."""
    header = HEADER.match(source)
    section = SECTION.search(header[0]) if header else None
    return set(WORD.findall(re.sub(r"\([^()]*\)", "", section[1]))) if section else set()


def reachable(source: str, seen: set[str]) -> str:
    """Return the code of a source, of the functions that it calls, and of files that it names."""
    code = "".join(FILES[path] for path in INCLUDE.findall(source)) + source
    for name in (set(CALL.findall(NO_CODE.sub("", code))) & BODIES.keys()) - seen:
        seen.add(name)
        code += reachable(BODIES[name], seen)
    return code


def codes(pattern: re.Pattern[str], code: str) -> set[str]:
    """Return the known codes that a pattern finds in code, without its comments."""
    found = pattern.findall(re.sub(r"--.*", "", code))
    texts = {"".join(one) for one in found}
    return {text for text in texts if text in SCRIPT_ERRORS or text == "LEASELOST"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_header_names_the_refusals_of_its_script(path: Path) -> None:
    source = path.read_text()
    code = reachable(source, set())
    assert codes(REFUSED, code) - OF_THE_LOADER - declared(source) == set(), "not in ERRORS"
    assert declared(source) - codes(NAMED, code) == set(), "in ERRORS, but not in the code"


def test_a_script_that_emits_looks_whether_too_many_events_wait() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in SCRIPTS}
    looking = re.compile(r"^(?!--).*\b(?:refuse_when|is)_behind\(", re.M)
    going_on = {
        path
        for path, source in sources.items()
        if "-- EMITS" in source and "-- FENCED" not in source and not looking.search(source)
    }
    assert going_on == GOES_ON


def test_refusals_are_found_in_code_that_a_script_calls() -> None:
    source = "-- Do it.\n--\n-- ERRORS   FUNDS (a NOTE),\n--          SUSPENDED\nrequire_active()\n"
    assert declared(source) == {"FUNDS", "SUSPENDED"}
    assert codes(REFUSED, reachable(source, set())) == {"NOMEMBER", "SUSPENDED"}
    assert codes(NAMED, reachable(source + "book(1)\n", set())) >= {"FUNDS", "POINTSREFUSED"}
