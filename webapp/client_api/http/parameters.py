"""Parameters of a request, as clients send them: typed, and parsed once.

They come in the query, as a form, as multipart or as JSON; a POST may have some in its query.
Names may be nested, as `poll[options][]` and `fields_attributes[0][name]`.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec
import orjson
from flask import request
from wtforms.validators import ValidationError

from webapp.core.errors import Invalid, NotFound, Refused
from webapp.core.store import parse_id

P = TypeVar("P", bound="Parameters")
T = TypeVar("T")
PART = re.compile(r"\[([^\[\]]*)\]")
WRONG = re.compile(r"`\$\.?([^`]*)`\Z")  # the name at the end of an error of msgspec
DEPTH_MAX = 4  # parts of a nested name
ID_MAX = 2**53 - 1
SWITCHES = {"true": True, "1": True, "on": True, "t": True, "yes": True}
SWITCHES |= {"false": False, "0": False, "off": False, "f": False, "no": False}
Id = Annotated[int, msgspec.Meta(ge=0, le=ID_MAX)]
Seconds = Annotated[int, msgspec.Meta(ge=0, le=10**9)]  # about thirty years


class Parameters(msgspec.Struct, kw_only=True):
    """The parameters of an endpoint. Unknown ones are ignored, wrong ones are refused by name.

    One that is sent empty counts as not sent, unless its type has UnsetType: then it is None.
    """


class IdsParameters(Parameters):
    """Several things, by their ids."""

    id: tuple[int | str, ...] = ()

    @property
    def ids(self) -> list[int]:
        """Return the ids, without texts that can be no id."""
        return [found for one in self.id if (found := parse_id(str(one)))]


def parse(kind: type[P]) -> P:
    """Return the parameters of the current request. Raises Invalid, which names the wrong one."""
    return converted(kind, _sent())


def converted(kind: type[P], sent: Mapping[str, Any]) -> P:
    """Return parameters from their values by name. Raises Invalid; NotFound for an id too large."""
    try:
        return msgspec.convert(_known(kind, sent), kind, strict=False)
    except msgspec.ValidationError as error:
        if f"<= {ID_MAX}" in str(error):
            raise NotFound("no_status") from None
        name = WRONG.search(str(error))
        raise invalid(f"{name[1] if name else 'a parameter'} is invalid") from None


class InvalidRequest(Invalid):
    """A request that cannot be accepted. `about`: what the answer says besides the reason."""

    def __init__(self, reason: str, **about: Any) -> None:
        super().__init__("invalid_parameter", f"Validation failed: {reason}")
        self.about = about


class InvalidForm(InvalidRequest):
    """Parameters that cannot be accepted. `problems`: of each a name, a code and what is wrong."""

    def __init__(self, *problems: tuple[str, str, str]) -> None:
        reasons = (f"{name.capitalize()} {reason}" for name, _, reason in problems)
        details: dict[str, list[dict[str, str]]] = {name: [] for name, *_ in problems}
        for name, code, reason in problems:
            details[name].append({"error": code, "description": reason})
        super().__init__(", ".join(reasons), details=details)


def invalid(reason: str) -> Invalid:
    """Return the refusal of a parameter."""
    return InvalidRequest(reason)


def is_on(value: object) -> bool:
    """Return True for a switch that is on, in a form or in JSON."""
    return SWITCHES.get(str(value).lower(), False)


def rows(sent: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that clients send as a list or by number, without other things."""
    found = sent.values() if isinstance(sent, dict) else sent if isinstance(sent, list) else ()
    return [row for row in found if isinstance(row, dict)]


def cleaned(name: str, clean: Callable[..., T], *arguments: Any) -> T:
    """Return a parameter as a rule of a form reads it. Raises Invalid, which says what is wrong.

    `name`: of the parameter, as people read it.
    """
    try:
        return clean(*arguments)
    except ValidationError as error:
        raise invalid(f"{name} {error}") from None


def nested(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the values of names as `a[]`, `a[b]` and `a[0][b]`, as a tree."""
    tree: dict[str, Any] = {}
    for name, value in pairs:
        stem, bracket, rest = name.partition("[")
        parts = [stem, *PART.findall(bracket + rest)][:DEPTH_MAX]
        _put(tree, parts, value)
    return tree


def _put(tree: dict[str, Any], parts: list[str], value: str) -> None:
    for at, part in enumerate(parts[:-1]):
        if parts[at + 1] == "":
            found = tree.setdefault(part, [])
            if isinstance(found, list):
                _append(found, parts[at + 2 :], value)
            return
        tree = tree.setdefault(part, {})
        if not isinstance(tree, dict):
            return
    before = tree.get(parts[-1])
    if isinstance(before, list):
        before.append(value)
    else:
        tree[parts[-1]] = [before, value] if isinstance(before, str) else value


def _append(found: list[Any], names: list[str], value: str) -> None:
    """Add a value of `a[]`, or one of `a[][b]`: to the first row that has none of this name yet."""
    if not names:
        return found.append(value)
    at = bisect_left(found, True, key=lambda row: names[0] not in row)
    row = found[at] if at < len(found) else None
    if not isinstance(row, dict):
        found.append(row := {})
    _put(row, names, value)


def _sent() -> dict[str, Any]:
    """Return the parameters of the query and the body, those of the body first."""
    query = nested(request.args.items(multi=True))
    if request.method in ("GET", "HEAD") and not request.content_length:
        return query
    if not request.is_json:
        return query | nested(request.form.items(multi=True))
    try:
        body = orjson.loads(request.get_data() or b"{}")
    except orjson.JSONDecodeError:
        raise Refused("bad_json") from None
    return query | body if isinstance(body, dict) else query


def _known(kind: type[msgspec.Struct], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return those values that a type has a place for, each in its shape."""
    hints = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    values = {name: _shaped(hints[name], value) for name, value in sent.items() if name in hints}
    return {
        name: value
        for name, value in values.items()
        if value is not None or msgspec.UnsetType in _kinds(hints[name])
    }


def _shaped(hint: Any, value: Any) -> Any:
    """Return a value in the shape that its type needs: a list of one, a switch, the last of many.

    None for an empty text where no text is wanted: clients send these for fields left empty.
    """
    kinds = _kinds(hint)
    if Any in kinds or value is None:
        return value
    if tuple in kinds:
        if isinstance(value, Mapping):  # a[0]=x, or a[0][b]=x
            value = [value[key] for key in sorted(value, key=str)]
        several = value if isinstance(value, list) else [value]
        return [one for one in several if one not in ("", None)]
    if isinstance(value, Mapping):
        return _shaped_tree(kinds, value)
    if isinstance(value, list) and value:
        value = value[-1]
    if isinstance(value, str) and str not in kinds:
        value = value.strip()
        if not value:
            return None
        if bool in kinds:
            return SWITCHES.get(value.lower(), value)
    return value


def _shaped_tree(kinds: set[Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values by name in the shapes of their types, if one of `kinds` names them."""
    for kind in kinds:
        if get_origin(kind) is dict:
            shaped = {name: _shaped(get_args(kind)[1], one) for name, one in value.items()}
            return {name: one for name, one in shaped.items() if one is not None}
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return _known(kind, value)
    return value


def _kinds(hint: Any) -> set[Any]:
    """Return the plain types of a hint, as {int, NoneType} for `Id | None`."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _kinds(get_args(hint)[0])
    if origin in (tuple, dict):
        return {tuple if origin is tuple else hint}
    arguments = get_args(hint)
    return set().union(*map(_kinds, arguments)) if arguments else {hint}
