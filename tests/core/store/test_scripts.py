"""Scripts are called with the names in their headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import webapp
from webapp.core.store.scripts import compile_script, script

PACKAGE = Path(webapp.__file__).parent
FILES = sorted(PACKAGE.rglob("*.lua"))
HEADER = """-- Do something.
--
-- KEYS     home      zset
-- ARGV     uid
--          limit?    most entries
--          fields...  names and values
"""


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_script_is_documented() -> None:
    for path in FILES:
        lines = path.read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.strip().startswith("--")]
        assert re.match(r"-- [A-Z]", lines[0]) and "Purpose:" not in lines[0], path
        if path.parent.name != "includes":
            header = "\n".join(lines[: lines.index(code[0])])
            assert "\n-- KEYS " in header and "\n-- RETURNS " in header, path
            assert script(relative(path)).keys, path
            named = not re.search(r"\b(?:KEYS|ARGV)\[", "\n".join(code))
            assert named, f"{path}: the loader names them"


def test_a_call_puts_keys_and_arguments_in_order() -> None:
    source = HEADER.replace("limit?   ", "limit    ")
    call = compile_script("test", source)
    command = call(fields=["a", 1], limit=5, uid=7, home="home:7")
    assert command == ("EVALSHA", call, 1, "home:7", 7, 5, "a", 1)
    assert call(home="home:7", uid=7, limit=5)[3:] == ("home:7", 7, 5)


@pytest.mark.parametrize("names", [{}, {"home": 1}, {"home": 1, "uid": 1, "other": 1}])
def test_a_missing_or_unknown_name_is_refused(names: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="missing"):
        compile_script("test", HEADER)(**names)


def test_a_header_without_keys_is_refused() -> None:
    with pytest.raises(ValueError, match="no keys"):
        compile_script("test", "-- Do nothing.\nreturn 1")


def test_a_list_that_is_not_last_is_refused() -> None:
    with pytest.raises(ValueError, match="list"):
        compile_script("test", HEADER + "--          after\n")


@pytest.mark.parametrize("name", ["fields... ", "fields? ", "fields "])
def test_a_name_with_one_space_before_its_description_is_refused(name: str) -> None:
    header = HEADER.replace("fields...  ", name)
    with pytest.raises(ValueError, match="two spaces"):
        compile_script("test", header)


def test_a_description_may_go_on_in_the_next_line() -> None:
    source = HEADER + "--                     of the status\n"
    names = compile_script("test", source).arguments
    assert [name.name for name in names] == ["uid", "limit", "fields"]
