"""Checking the fields of a body: the caller learns which of them cannot be used, and why."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flask_babel import gettext as _
from wtforms.validators import ValidationError

from webapp.accounts import store as accounts
from webapp.chat.members.forms import KIND_CHOICES, NAME_MAX, RETENTION_CHOICES, TOPIC_MAX
from webapp.core.errors import Invalid, NotFound
from webapp.core.forms.fields import normalize_line, normalize_name
from webapp.core.store import parse_id
from webapp.core.web import config, db

from .content import parse_number

Fields = Mapping[str, Any]
FORM_FLAGS = {"true": True, "1": True, "false": False, "0": False}  # as forms write them


def id_field(fields: Fields, name: str) -> int | None:
    """Return an id, None if it is missing. Raises Invalid."""
    value = fields.get(name)
    number = parse_number(value)
    if value is not None and number is None:
        raise Invalid(f"bad_{name}", _("“%(name)s” must be an id (a number).", name=name))
    return number


def choice_field(fields: Fields, name: str, choices: Sequence[str]) -> str | None:
    """Return one of the choices, None if it is missing. Raises Invalid."""
    value = fields.get(name)
    return None if value is None else _choice(name, value, choices)


def group_fields(fields: Fields) -> dict[str, Any]:
    """Return the given fields of a group chat by the names of the store. Raises Invalid."""
    return {
        store_name: parse(name, fields[name])
        for name, (store_name, parse) in GROUP_FIELDS.items()
        if name in fields
    }


def _line(name: str, value: object, normalize: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        raise Invalid(f"bad_{name}", _("“%(name)s” must be text.", name=name))
    try:
        return normalize(value)
    except ValidationError as error:
        raise Invalid(f"bad_{name}", str(error)) from None


def _parse_name(name: str, value: object) -> str:
    missing = _("Enter a name for the group chat.")
    return _line(name, value, lambda text: normalize_name(text, NAME_MAX, missing))


def _parse_topic(name: str, value: object) -> str:
    return _line(name, value, lambda text: normalize_line(text, TOPIC_MAX))


def _choice(name: str, value: object, choices: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        sentence = _(
            "“%(name)s” must be one of: %(choices)s.", name=name, choices=", ".join(choices)
        )
        raise Invalid(f"bad_{name}", sentence)
    return value


def _parse_flag(name: str, value: object) -> bool:
    flag = FORM_FLAGS.get(value) if isinstance(value, str) else value
    if not isinstance(flag, bool):
        raise Invalid(f"bad_{name}", _("“%(name)s” must be true or false.", name=name))
    return flag


# The field of the API: its name in the store, and its check.
GROUP_FIELDS: dict[str, tuple[str, Callable[[str, object], Any]]] = {
    "name": ("name", _parse_name),
    "topic": ("topic", _parse_topic),
    "type": ("kind", partial(_choice, choices=list(dict(KIND_CHOICES)))),
    "history_shared": ("shared", _parse_flag),
    "retention": ("retention", partial(_choice, choices=list(dict(RETENTION_CHOICES)))),
}


def resolve_member(name: str) -> int:
    """Return the uid in a path: `17`, or `@wren`. At most two trips. Raises NotFound."""
    if name.startswith("@"):
        return accounts.get_by_login(db(), name[1:]).uid
    return NotFound.unless(parse_id(name), "no_member")


def resolve_members(fields: Fields) -> list[int]:
    """Return the uids in the field `members`: a list of ids and usernames. At most two trips.

    Raises Invalid for anything else, NotFound for a username that nobody has.
    """
    named = fields.get("members") or []
    if not isinstance(named, list) or len(named) >= config().chat_members_max:
        raise Invalid("bad_members")
    logins = [one.removeprefix("@").lower() for one in named if isinstance(one, str)]
    uids = [one for one in named if type(one) is int and parse_id(str(one))]
    if len(logins) + len(uids) < len(named):
        raise Invalid("bad_members")
    found = accounts.get_many_by_login(db(), logins) if logins else {}
    if len(found) < len(set(logins)):
        raise NotFound("no_member")
    return list(dict.fromkeys([*uids, *(member.uid for member in found.values())]))
