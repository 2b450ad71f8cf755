"""Find and expand the files that a Lua script includes.

A file is included where one of its functions is called, so no two files define a function of one
name. The files of `core/store/lua/includes/` are included wherever their names are used. A line `--
include` names a file for its keys, its values, or a function that is only passed on.
"""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
EMIT = "core/events/lua/includes/emit.lua"
FENCE = "core/events/lua/includes/fence.lua"
INCLUDE = re.compile(r"^-- include (\S+)\n", re.MULTILINE)
LOCAL = re.compile(r"^local (?:function )?(\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^local function (\w+)", re.MULTILINE)
NO_CODE = re.compile(r"--.*|'[^'\n]*'")  # comments and texts
WORD = re.compile(r"(?<![.\w])\w+")
CALL = re.compile(r"(?<![.\w])(\w+)\(")
FILES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted(ROOT.rglob("lua/includes/*.lua"))
}
COMMON = {
    name: path
    for path, text in FILES.items()
    if path.startswith("core/store/")
    for name in LOCAL.findall(text)
}
FUNCTIONS = {
    name: path
    for path, text in FILES.items()
    if path not in (EMIT, FENCE)  # which the loader adds
    for name in FUNCTION.findall(text)
}


def words_in(source: str) -> frozenset[str]:
    """Return the words of the code, without the fields of tables."""
    return frozenset(WORD.findall(NO_CODE.sub("", source)))


def included(source: str, path: str = "") -> dict[str, str]:
    """Return the included files by their paths: each once, after those that it includes."""
    code = NO_CODE.sub("", source)
    called = {*CALL.findall(code)}.difference(FUNCTION.findall(code))
    named = {COMMON[word] for word in COMMON.keys() & WORD.findall(code)}
    named |= {FUNCTIONS[name] for name in FUNCTIONS.keys() & called}
    found: dict[str, str] = {}
    for used in (*INCLUDE.findall(source), *sorted(named - {path})):
        if used not in found:
            found |= _with_own(used)
    return found


def expand(source: str) -> str:
    """Return the source with the included files before it."""
    files = (text.rstrip() + "\n" for text in included(source).values())
    return INCLUDE.sub("", "".join((*files, source)))


@cache
def _with_own(path: str) -> dict[str, str]:
    """Return a file and what it includes."""
    return {**included(FILES[path], path), path: FILES[path]}
