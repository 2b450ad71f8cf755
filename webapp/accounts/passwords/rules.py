"""Rules for passwords in forms: their length, and how easy they are to guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask_babel import LazyString, gettext as _, lazy_gettext as _l
from wtforms import PasswordField
from wtforms.validators import InputRequired, ValidationError

from webapp.core.web import config

from .strength import personal_words, strength, weakness

PASSWORD_MAX = 1_000  # characters: hashing more would only take time
NEW_PASSWORD_MAX = 128  # characters of one that is chosen now
# The sentences for a password that is easy to guess.
WEAKNESSES = {
    "year": _l("A season, month or name with a year is easy to guess. Please choose other words."),
    "personal": _l("That’s too close to your username, your name or the name of this site."),
    "passwords": _l("Many people use that password, or one like it. Please choose another one."),
    "word": _l("A single word is easy to guess. Put a few unrelated words together."),
    "name": _l("Names are easy to guess. Put a few unrelated words together."),
    "spatial": _l("Keys next to each other are easy to guess. Please choose another password."),
    "repeat": _l("Repeated characters or words are easy to guess. Please choose another password."),
    "sequence": _l("Sequences like abc or 6543 are easy to guess. Please choose another password."),
    "date": _l("Dates and years are easy to guess. Please choose another password."),
    "short": _l("That password is too short to be safe. Add another word or two."),
}

GRADES = {
    2: _l("Hard to guess. Another word would make it safer."),
    3: _l("Very hard to guess."),
    4: _l("Extremely hard to guess."),
}


def check_password(field: PasswordField, login: str, name: str) -> None:
    """Check a new password. `login` and `name` are its member's.

    Raises ValidationError if it is too short, too long or easy to guess.
    """
    password = field.data or ""
    _check_form(password)
    reason = weakness(password, personal_words(login, name, config().site_url))
    if reason:
        raise ValidationError(WEAKNESSES[reason])


def grade(password: str, login: str, name: str) -> tuple[int, str]:
    """Return the grade of a new password, and its label: 1 if it is refused, otherwise 2 to 4.

    `login` and `name` are its member's.
    """
    try:
        _check_form(password)
    except ValidationError as refusal:
        return 1, str(refusal)
    score, reason = strength(password, personal_words(login, name, config().site_url))
    return (1, str(WEAKNESSES[reason])) if reason else (score, str(GRADES[score]))


def _check_form(password: str) -> None:
    if len(password) < config().password_min:
        raise ValidationError(
            _("A password needs at least %(num)d characters.", num=config().password_min)
        )
    if len(password) > NEW_PASSWORD_MAX:
        raise ValidationError(
            _("A password can have up to %(num)d characters.", num=NEW_PASSWORD_MAX)
        )
    if not can_be_password(password):
        raise ValidationError(_("That password can’t be used. Please choose another one."))


def new_password_field(
    label: Any,
    names_of: Callable[[Any], tuple[str, str]] = lambda _form: ("", ""),
    has_hint: bool = True,
) -> PasswordField:
    """Return the field of a new password. `names_of` a form: its member's login and name."""

    def validate(form: object, field: PasswordField) -> None:
        check_password(field, *names_of(form))

    return PasswordField(
        label,
        [InputRequired(_l("Choose a password.")), validate],
        description=LazyString(password_hint) if has_hint else "",
        render_kw={"autocomplete": "new-password"},
    )


def old_password_field(label: Any, missing: Any, refusal: Any) -> PasswordField:
    """Return the field of a password that is to be verified, with its two sentences.

    `refusal`: for a text that is not worth hashing.
    """

    def validate(_form: object, field: PasswordField) -> None:
        if not can_be_password(field.data or ""):
            raise ValidationError(refusal)

    return PasswordField(
        label,
        [InputRequired(missing), validate],
        render_kw={"autocomplete": "current-password"},
    )


def password_hint() -> str:
    """Return the hint next to the field of a new password."""
    return str(
        _(
            "At least %(num)d characters. "
            "A few unrelated words are safer than one complicated word.",
            num=config().password_min,
        )
    )


def can_be_password(password: str) -> bool:
    """Return True if a text can be hashed as a password: encodable, and not too long."""
    try:
        password.encode()
    except UnicodeEncodeError:
        return False
    return len(password) <= PASSWORD_MAX
