"""The files that a Lua script includes: functions that take what they need, or name its keys."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
INCLUDE = re.compile(r"^-- include (\S+)\n", re.MULTILINE)


def included(source: str) -> dict[str, str]:
    """Return the included files by their paths: each once, after those that it includes."""
    found: dict[str, str] = {}
    for path in INCLUDE.findall(source):
        text = _read(path)
        found |= {**included(text), path: text}
    return found


def expand(source: str) -> str:
    """Return the source with the included files before it."""
    files = (text.rstrip() + "\n" for text in included(source).values())
    return INCLUDE.sub("", "".join((*files, source)))


@cache
def _read(path: str) -> str:
    return (ROOT / path).read_text()
