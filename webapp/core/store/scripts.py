"""Lua scripts: one file a verb, beside its store."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

INCLUDE = re.compile(r"^-- include (\S+)$", re.MULTILINE)


class Script(NamedTuple):
    """A Lua script: called with its keys and arguments it gives the command for a trip."""

    name: str
    text: str
    sha: str

    def __call__(self, keys: Sequence[str], *args: Any) -> tuple[Any, ...]:
        return ("EVALSHA", self, len(keys), *keys, *args)


SCRIPTS: list[Script] = []  # all that were asked for, for `linnet doctor`


@cache
def script(path: str) -> Script:
    """The script at `path` below this package. A line `-- include core/store/lua/includes/ids.lua` stands for that file, the first time it is
    met; what is included may include others.
    """
    text = _expand(path, set())
    SCRIPTS.append(Script(path, text, hashlib.sha1(text.encode()).hexdigest()))
    return SCRIPTS[-1]


def _expand(path: str, included: set[str]) -> str:
    def include(match: re.Match[str]) -> str:
        if match[1] in included:
            return ""
        included.add(match[1])
        return _expand(match[1], included).rstrip()

    return INCLUDE.sub(include, (Path(__file__).parents[2] / path).read_text())
