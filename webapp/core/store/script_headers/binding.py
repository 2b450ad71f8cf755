"""The Python functions that call Lua scripts, written from their headers when they are loaded."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from webapp.core.events import keys as event_keys
from webapp.core.logs import request_id
from webapp.core.store.reads import Command

from .parsing import Header, Name

# The expressions that the loader adds for EMITS and FENCED.
ADDED = {
    "fences": "_fences(_tag)",
    "source": "_source",
    "token": "_token",
    "outbox": "_outbox(_partition)",
    "partition": "_partition",
    "request_id": "_request_id",
}


def bind(script: object, path: str, header: Header) -> Callable[..., Command]:
    """Return the function that turns the values of a call into the script's command."""
    keys = [_item(name) for name in header.keys]
    arguments = [_item(name) for name in header.arguments]
    name = re.sub(r"\W", "_", path.removesuffix(".lua"))
    lines = [f"def {name}({', '.join(_signature(header))}):", *_preparations(header, keys)]
    count: object = len(keys)
    if any(key.kind for key in header.keys):
        lines.append(f"_keys = ({', '.join(keys)},)")
        keys, count = ["*_keys"], "len(_keys)"
    lines.append(f"return ('EVALSHA', _script, {', '.join([str(count), *keys, *arguments])})")
    namespace: dict[str, Any] = {
        "_script": script,
        "_fences": event_keys.fences,
        "_outbox": event_keys.outbox,
        "_request_context": request_id,
        "_words": _words,
    }
    if header.owner:
        namespace["_partition_of"] = header.owner.key.by
    for key in header.keys:
        if key.call:
            declared = key.call.key
            namespace[f"_{key.name}"] = declared.prefix if key.call.is_prefix else declared
    exec("\n ".join(lines), namespace)
    bound: Callable[..., Command] = namespace[name]
    return bound


def _words(values: Iterable[Any]) -> Iterable[Any]:
    """Return the values of a list. Those of a mapping: names and values in turn."""
    return chain.from_iterable(values.items()) if isinstance(values, dict) else values


def _item(name: Name) -> str:
    """Return the expression of a key or argument within the command's tuple."""
    if name.setting:
        return f"_config.{name.setting}"
    if name.is_added:
        return ADDED[name.name]
    if name.kind == "...":
        return f"*_words({name.name})"
    value = f"_{name.name}({', '.join(name.call.values)})" if name.call else name.name
    if name.kind == "?":
        given = [f"{one} is not None" for one in (name.call.names if name.call else (name.name,))]
        return f"*(({value},) if {' and '.join(given)} else ())"
    return value


def _signature(header: Header) -> Iterator[str]:
    """Yield the function's parameters."""
    if header.takes_settings:
        yield "_config"
    if header.is_fenced:
        yield "_event"
    optional = {name.name: name.kind for name in header.arguments if name.kind}
    required = {
        name.name: ""
        for name in header.arguments
        if not (name.kind or name.is_added or name.setting)
    }
    for key in header.keys:
        names = key.call.names if key.call else () if key.is_added else (key.name,)
        (optional if key.kind else required).update(dict.fromkeys(names, key.kind))
    yield "*"
    yield from required
    for name, kind in optional.items():
        if name not in required:
            yield f"{name}={'()' if kind == '...' else None}"


def _preparations(header: Header, keys: list[str]) -> Iterator[str]:
    """Yield the lines for the loader's own names. Fenced, the first key is computed here."""
    if header.is_fenced:
        yield "_source, _token = _event.fence"
        if any(name.is_added and name.name == "fences" for name in header.keys):
            yield f"_first = {keys[0]}"
            yield "_tag = _first.partition('{')[2].partition('}')[0] or _first"
            keys[0] = "_first"
    if header.emits and header.owner:
        yield f"_partition = _partition_of({header.owner.names[0]})"
        yield f"_request_id = {'_event.rid' if header.is_fenced else '_request_context.get()'}"
