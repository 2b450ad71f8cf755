"""The files that a Lua script includes: functions that take what they need, or name its keys.

Those of `core/store/lua/includes/` need no line: a file is there where its names are used.
"""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
INCLUDE = re.compile(r"^-- include (\S+)\n", re.MULTILINE)
LOCAL = re.compile(r"^local (?:function )?(\w+)", re.MULTILINE)
NO_CODE = re.compile(r"--.*|'[^'\n]*'")  # comments and texts
WORD = re.compile(r"(?<![.\w])\w+")
COMMON = {
    name: path.relative_to(ROOT).as_posix()
    for path in sorted((ROOT / "core/store/lua/includes").glob("*.lua"))
    for name in LOCAL.findall(path.read_text())
}


def words_in(source: str) -> frozenset[str]:
    """Return the words of the code, without the fields of tables."""
    return frozenset(WORD.findall(NO_CODE.sub("", source)))


def included(source: str, path: str = "") -> dict[str, str]:
    """Return the included files by their paths: each once, after those that it includes."""
    found: dict[str, str] = {}
    common = sorted({COMMON[word] for word in words_in(source) & COMMON.keys()} - {path})
    for used in (*common, *INCLUDE.findall(source)):
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
    text = (ROOT / path).read_text()
    return {**included(text, path), path: text}
