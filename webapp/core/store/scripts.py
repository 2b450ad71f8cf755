"""Lua scripts, called with the values that their headers name.

The header declares the keys and arguments of a script once (`script_headers/`). The loader writes
the script's `local` lines from it, and a Python function that turns the values of a call into the
EVALSHA command. So header, call and script cannot disagree.

For a script that emits events the loader adds the outbox and the functions of `emit.lua`. For a
fenced one it adds the check of the worker's lease, and the call takes the event that it applies. A
script that refuses while too many events wait takes the settings, for their number.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .reads import Command
from .script_headers.binding import bind
from .script_headers.includes import EMIT, FENCE, ROOT, expand
from .script_headers.parsing import Header, Name, parse_header

FENCED = f"-- include {FENCE}\nstale(fences, source, token)\n"


@dataclass(slots=True, eq=False)
class Script:
    """A loaded script. Call it with its values by name to get a command for a trip."""

    path: str
    text: str = field(repr=False)
    header: Header = field(repr=False)
    sha: str = field(init=False)
    bound: Callable[..., Command] = field(init=False, repr=False)
    takes_settings: bool = field(init=False)

    def __post_init__(self) -> None:
        self.sha = hashlib.sha1(self.text.encode()).hexdigest()
        self.bound = bind(self, self.path, self.header)
        self.takes_settings = self.header.takes_settings

    def __call__(self, *context: Any, **values: Any) -> Command:
        """Return the EVALSHA command. Raises TypeError on a missing or unknown name.

        `context`: the settings if too many waiting events refuse it; the event if it is fenced.
        """
        return self.bound(*context, **values)


SCRIPTS: list[Script] = []  # every loaded script, for `linnet doctor`


@cache
def script(path: str) -> Script:
    """Load the script at `path` below the package. Errors as `compile_script`."""
    loaded = compile_script(path, (ROOT / path).read_text())
    SCRIPTS.append(loaded)
    return loaded


def compile_script(path: str, source: str) -> Script:
    """Return the script of a source: its header parsed, its includes expanded.

    Raises ValueError as `parse_header`.
    """
    header = parse_header(path, source)
    added = f"-- include {EMIT}\n" * bool(header.emits) + FENCED * header.is_fenced
    lines = (*_locals(header.keys, "KEYS"), *_locals(header.arguments, "ARGV"))
    return Script(path, "".join(lines) + expand(added + source), header)


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
