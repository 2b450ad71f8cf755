"""Headers of Lua scripts: the keys, arguments and events that a script declares.

    -- KEYS     lists         lists.lists(uid)
    --          list_prefix   lists.list_.prefix(uid)
    --          target        zset: a key that the caller chooses
    -- ARGV     limit         config.lists_max   most lists of one member
    --          size?         entries wanted
    --          names...
    -- WRITES   lists, list_prefix
    -- EMITS    list_created
    -- FENCED

A key is a declaration of a room's `keys.py`, and the values that name it. A value that the code
reads is an argument too, listed or not. `config.` is a setting, which no call passes. `?` marks a
name that a call may leave out, and `...` one that takes a list. Both come last.
An include may have KEYS and WRITES. The scripts that include it get these keys, unless their own
headers name the same otherwise.
A header says what is not usual: WRITES where it is not all of its keys, RETURNS where it is not 1.
FENCED has the script refuse a worker that has lost its lease, by the fences of its first key's tag.
IDEMPOTENT allows the client to send it again if the connection is lost before its reply.
ERRORS names how the script refuses, besides LEASELOST of FENCED and OVERLOADED of
`refuse_when_behind()`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from webapp.config import Config

from .includes import INCLUDE, expand, included, words_in

SECTION = re.compile(r"^-- (KEYS|ARGV|RETURNS|ERRORS|WRITES|EMITS|FENCED|IDEMPOTENT)\b(.*)$")
NAME = re.compile(r"^--\s{1,12}(\w+)(\?|\.\.\.)?(?:\s{2,}(.*)|$)")
CONTINUATION = re.compile(r"^--\s{13}")  # of the description above
KEY_CALL = re.compile(r"([a-z_]\w*(?:\.[a-z_]\w*)+)\(([^()]*)\)(?:\s{2,}.*)?$")
SETTING = re.compile(r"config\.(\w+)")
BOUNDED = "behind()"  # ends the functions that ask whether too many events wait
SETTINGS = frozenset(field.name for field in fields(Config))


@dataclass(frozen=True, slots=True)
class KeyCall:
    """A declared key with the values that name it. `values` are names or quoted texts."""

    room: str
    name: str
    key: Any  # a Key
    is_prefix: bool
    values: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names among the values."""
        return tuple(value for value in self.values if value.isidentifier())


@dataclass(frozen=True, slots=True)
class Name:
    """A declared key or argument. `kind` is "" (required), "?" (optional) or "..." (a list).

    `call` is None for an argument, and for a key that the caller chooses. `is_added`: the loader
    adds it for EMITS or FENCED. `setting`: the one that an argument is, "" for the call's values.
    """

    name: str
    kind: str = ""
    call: KeyCall | None = None
    is_added: bool = False
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """The declarations of a script's header."""

    keys: tuple[Name, ...]
    arguments: tuple[Name, ...]
    writes: frozenset[str]  # names of keys
    emits: tuple[str, ...]  # types of events
    is_fenced: bool
    owner: KeyCall | None  # the first key that names a partition
    is_idempotent: bool

    @property
    def takes_settings(self) -> bool:
        """Return True if its call takes the settings: it names some, or asks if it is behind."""
        return any(name.setting for name in self.arguments)


def parse_header(path: str, source: str) -> Header:
    """Return the declarations of a source and its includes, with those that the loader adds.

    Raises ValueError if it declares no keys, a list that is not last, a name that one space alone
    separates from its description, a key that no room declares, or a setting that does not exist.
    """
    sections = _sections(source)
    keys = [_name(path, line, True) for line in sections.get("KEYS", ())]
    arguments = [_name(path, line, False) for line in sections.get("ARGV", ())]
    emits, owned, writes, code = tuple(_words(sections, "EMITS")), len(keys), set[str](), source
    for include, text in included(source).items():
        if own := _sections(text):
            named = [_name(include, line, True) for line in own.get("KEYS", ())]
            _add(keys, *named)
            writes |= _writes(include, own, named, keys)
            code += text
    writes |= _writes(path, sections, keys[:owned], keys)
    if not keys:
        raise ValueError(f"{path}: its header declares no keys")
    _add(arguments, *_values(keys, code))
    for names in (keys, arguments):
        if any(name.kind == "..." for name in names[:-1]):
            raise ValueError(f"{path}: only the last name may take a list")
    owner = next((key.call for key in keys if key.call and key.call.key.by), None)
    is_fenced = "FENCED" in sections
    if is_fenced:
        if keys[0].kind:
            raise ValueError(f"{path}: its first key does not name the hash tag of its fences")
        _add(keys, *_added("fences"))
        _add(arguments, *_added("source", "token"))
    if emits:
        _add(keys, *_added("outbox"))
        _add(arguments, *_added("partition", "request_id"))
        if BOUNDED in expand(source):
            _add(arguments, Name("outbox_max", is_added=True, setting="outbox_max"))
    if emits and not owner:
        raise ValueError(f"{path}: none of its keys names the partition of its events")
    declared = tuple(keys), tuple(arguments), frozenset(writes), emits, is_fenced, owner
    return Header(*declared, is_idempotent="IDEMPOTENT" in sections)


def _added(*names: str) -> Iterator[Name]:
    return (Name(name, is_added=True) for name in names)


def _values(keys: list[Name], code: str) -> Iterator[Name]:
    """Yield the values of required keys that the code reads. A key's own name is not a value."""
    words = words_in(code) - {key.name for key in keys}
    for key in keys:
        if key.call and not key.kind:
            yield from (Name(value) for value in key.call.names if value in words)


def _add(names: list[Name], *added: Name) -> None:
    """Put names before the optional ones, except names that the header declares."""
    for name in added:
        if all(name.name != declared.name for declared in names):
            at = next((place for place, one in enumerate(names) if one.kind), len(names))
            names.insert(at, name)


def _words(sections: dict[str, list[str]], title: str) -> list[str]:
    return re.findall(r"\w+", " ".join(sections.get(title, ())))


def _writes(
    path: str, sections: dict[str, list[str]], own: list[Name], keys: list[Name]
) -> set[str]:
    """Return the names of the keys that a file writes, except those that the loader adds.

    They are listed in WRITES, or it says "nothing", or "all keys but" some; without it they are all
    of the file's `own` keys. A list may name those of includes too.
    """
    if "WRITES" not in sections:
        return {name.name for name in own}
    words, known = _words(sections, "WRITES"), {name.name for name in keys}
    is_rest = words[:3] == ["all", "keys", "but"]
    listed = set(words[3:] if is_rest else words) - {"nothing"}
    if listed - known or not words:
        raise ValueError(f"{path}: WRITES names no keys of the script: {sorted(listed - known)}")
    return {name.name for name in own} - listed if is_rest else listed


def _sections(source: str) -> dict[str, list[str]]:
    """Return the lines of each section, without those that continue a description."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in source.splitlines():
        if not line.startswith("--") or INCLUDE.match(f"{line}\n"):
            break
        if match := SECTION.match(line):
            lines = sections.setdefault(match[1], [])
            line = f"-- {match[2].strip()}"
        if line.strip("- ") and not CONTINUATION.match(line):
            lines.append(line)
    return sections


def _name(path: str, line: str, is_key: bool) -> Name:
    if not (match := NAME.match(line)):
        raise ValueError(f"{path}: two spaces must follow the name in {line!r}")
    name, kind, text = match[1], match[2] or "", match[3] or ""
    if is_key:
        call = KEY_CALL.match(text)
        return Name(name, kind, call and _key_call(path, call[1], call[2]))
    setting = match[1] if (match := SETTING.match(text)) else ""
    if setting and setting not in SETTINGS:
        raise ValueError(f"{path}: there is no setting {setting}")
    return Name(name, kind, setting=setting)


def _key_call(path: str, dotted: str, values: str) -> KeyCall:
    room, _, name = dotted.removesuffix(".prefix").rpartition(".")
    try:
        key: Any = getattr(import_module(f"webapp.{room}.keys"), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path}: no room declares the key {dotted}") from error
    names = tuple(value.strip() for value in values.split(",") if value.strip())
    return KeyCall(room, name, key, dotted.endswith(".prefix"), names)
