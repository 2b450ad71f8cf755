"""Lua scripts, called by the names in their headers.

A header declares the keys and arguments of its script once. The loader writes the script's `local`
lines from it and checks every call against it, so header, call and script cannot disagree.
A name with `?` may be left out of a call; a name with `...` takes a list. Both come last.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .reads import Command

ROOT = Path(__file__).parents[2]
SECTION = re.compile(r"^-- (KEYS|ARGV|RETURNS|ERRORS|WRITES)\b(.*)$")
NAME = re.compile(r"^--\s{1,12}(\w+)(\?|\.\.\.)?(\s{2,}|$)")
CONTINUATION = re.compile(r"^--\s{13}")  # of the description above
INCLUDE = re.compile(r"^-- include (\S+)\n", re.MULTILINE)


class Name(NamedTuple):
    """One declared key or argument. `kind` is "" (required), "?" (optional) or "..." (a list)."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """A loaded script. Call it with its keys and arguments by name to get a command for a trip."""

    path: str
    text: str = field(repr=False)
    sha: str
    keys: tuple[Name, ...]
    arguments: tuple[Name, ...]
    required: frozenset[str]
    names: frozenset[str]

    def __call__(self, **values: Any) -> Command:
        """Return the EVALSHA command. Raises TypeError on a missing or unknown name."""
        if not self.required <= values.keys() <= self.names:
            missing, unknown = self.required - values.keys(), values.keys() - self.names
            raise TypeError(f"{self.path}: missing {sorted(missing)}, unknown {sorted(unknown)}")
        keys = _ordered(self.keys, values)
        return ("EVALSHA", self, len(keys), *keys, *_ordered(self.arguments, values))


SCRIPTS: list[Script] = []  # every loaded script, for `linnet doctor`


@cache
def script(path: str) -> Script:
    """Load the script at `path` below the package. Errors as `compile_script`."""
    loaded = compile_script(path, (ROOT / path).read_text())
    SCRIPTS.append(loaded)
    return loaded


def compile_script(path: str, source: str) -> Script:
    """Return the script of a source: its header parsed, its includes expanded.

    Raises ValueError if its header declares no keys, a list that is not last, or a name that one
    space alone separates from its description.
    """
    keys, arguments = _declared(path, source, "KEYS"), _declared(path, source, "ARGV")
    if not keys:
        raise ValueError(f"{path}: its header declares no keys")
    for names in (keys, arguments):
        if any(name.kind == "..." for name in names[:-1]):
            raise ValueError(f"{path}: only the last name may take a list")
    text = "".join([*_locals(keys, "KEYS"), *_locals(arguments, "ARGV"), _expand(source, set())])
    every = (*keys, *arguments)
    return Script(
        path,
        text,
        hashlib.sha1(text.encode()).hexdigest(),
        keys,
        arguments,
        frozenset(name.name for name in every if not name.kind),
        frozenset(name.name for name in every),
    )


def _ordered(names: tuple[Name, ...], values: dict[str, Any]) -> list[Any]:
    ordered = []
    for name, kind in names:
        if not kind:
            ordered.append(values[name])
        elif kind == "...":
            ordered.extend(values.get(name, ()))
        elif values.get(name) is not None:
            ordered.append(values[name])
    return ordered


def _declared(path: str, source: str, wanted: str) -> tuple[Name, ...]:
    """Return the names that a section of the header declares, one a line, in order."""
    names, section = [], ""
    for line in source.splitlines():
        if not line.startswith("--") or INCLUDE.match(f"{line}\n"):
            break
        if match := SECTION.match(line):
            section, line = match[1], f"-- {match[2].strip()}"
        if section != wanted or CONTINUATION.match(line):
            continue
        if not (match := NAME.match(line)):
            raise ValueError(f"{path}: two spaces must follow the name in {line!r}")
        names.append(Name(match[1], match[2] or ""))
    return tuple(names)


def _locals(names: tuple[Name, ...], table: str) -> Iterator[str]:
    """Yield the lines that name the script's keys or arguments."""
    plain = [name.name for name in names if name.kind != "..."]
    if plain:
        places = ", ".join(f"{table}[{place}]" for place in range(1, len(plain) + 1))
        yield f"local {', '.join(plain)} = {places}\n"
    if names and names[-1].kind == "...":
        first, name = len(names), names[-1].name
        yield f"local {name} = {{}}\n"
        yield f"for i = {first}, #{table} do {name}[i - {first - 1}] = {table}[i] end\n"


def _expand(source: str, included: set[str]) -> str:
    """Replace `-- include PATH` lines by the files, each once."""

    def expanded(match: re.Match[str]) -> str:
        if match[1] in included:
            return ""
        included.add(match[1])
        return _expand((ROOT / match[1]).read_text(), included).rstrip() + "\n"

    return INCLUDE.sub(expanded, source)
