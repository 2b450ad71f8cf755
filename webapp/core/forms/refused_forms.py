"""Forms that are refused before their view can show them again: their sender gets the text back.

The page of an error holds the fields in a form to send again (templates/refused_form.html). A
member whose session has ended logs in with that form, and the login carries the fields along.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from flask import request
from flask_babel import lazy_gettext as _l
from werkzeug.exceptions import HTTPException

from webapp.core.web import safe_path, unwrap

from .csrf import is_same_origin

LABELS = {  # of the fields that hold what is typed
    "text": _l("Text"),
    "cw": _l("Warning"),
    "bio": _l("Bio"),
    "about": _l("What it’s about"),
    "rules": _l("Rules"),
    "note": _l("Note"),
    "words": _l("Words or phrases"),
    "reason": _l("Reason"),
    "why": _l("Reason"),
    "topic": _l("Topic"),
    "place": _l("Name of the place"),
    "alt": _l("Picture description"),
    "amount": _l("Points"),
    "price": _l("Price"),
    **{f"more{n}": _l("Post %(number)s of the thread", number=n + 1) for n in range(1, 10)},
    **{f"option{n}": _l("Answer %(number)s", number=n) for n in range(1, 5)},
}
LINES = {*"cw topic place amount price".split(), *(f"option{n}" for n in range(1, 5))}
PART_PREFIX = re.compile(r"\Amore\d_")  # of the fields of a thread's further posts
SECRETS = {"csrf_token", "password", "current_password", "old", "new", "token"}
CARRIED = "refused."  # begins the names of fields that a login carries along
CARRIED_ACTION, CARRIED_FILES = "refused_action", "refused_files"


@dataclass(frozen=True, slots=True)
class RefusedField:
    """A field as it was sent. `label`: "" for one that is not shown. `is_line`: it has one line."""

    name: str
    value: str
    label: object = ""
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class RefusedForm:
    """The fields of a refused form. `action`: the path that it was sent to.

    `files`: the names of its file fields, with "" after the name if no file was chosen. The files
    themselves are gone.
    """

    action: str
    fields: tuple[RefusedField, ...]
    files: tuple[tuple[str, str], ...] = ()


def refused_form() -> RefusedForm | None:
    """Return the form that a page of this site sends, None if it holds no free text.

    Scripts keep their form, so they get none.
    """
    flask_request = unwrap(request)
    mode = flask_request.headers.get("Sec-Fetch-Mode", "navigate")
    if flask_request.method != "POST" or mode != "navigate" or not is_same_origin():
        return None
    try:
        pairs = flask_request.form.items(multi=True)
        fields = _fields((name, value) for name, value in pairs if name not in SECRETS)
    except HTTPException:  # too large or incomplete
        return None
    files = tuple(
        (name, "1" if file.filename else "") for name, file in flask_request.files.items(multi=True)
    )
    has_text = any(field.label and field.value.strip() for field in fields)
    return RefusedForm(flask_request.full_path.rstrip("?"), fields, files) if has_text else None


def carried_form() -> RefusedForm | None:
    """Return the refused form that a login carries along, if any."""
    form = unwrap(request).form
    action = safe_path(form.get(CARRIED_ACTION))
    if not action:
        return None
    carried = (pair for pair in form.items(multi=True) if pair[0].startswith(CARRIED))
    files = (raw.partition(" ") for raw in form.getlist(CARRIED_FILES))
    return RefusedForm(
        action,
        _fields((name.removeprefix(CARRIED), value) for name, value in carried),
        tuple((name, chosen) for name, _, chosen in files),
    )


def _fields(pairs: Iterable[tuple[str, str]]) -> tuple[RefusedField, ...]:
    """Return fields with their labels. Texts that are empty are not shown.

    A login may be refused too: what it carries is text.
    """
    named = (
        (name, value, PART_PREFIX.sub("", name.removeprefix(CARRIED))) for name, value in pairs
    )
    return tuple(
        RefusedField(name, value, LABELS.get(bare, "") if value else "", bare in LINES)
        for name, value, bare in named
    )
