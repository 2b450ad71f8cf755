"""The base class of forms, uploaded pictures, and cleaning of submitted texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

from babel.support import NullTranslations
from flask import render_template, request
from flask_babel import gettext as _
from flask_wtf import FlaskForm
from werkzeug.datastructures import FileStorage
from wtforms import Field, Label
from wtforms.validators import InputRequired, ValidationError

from webapp.core.errors import Conflict, Refused
from webapp.core.i18n import preferences
from webapp.core.i18n.catalogs import wtforms_translations
from webapp.core.media.decoding import BadPicture
from webapp.core.text.cleaning import clean_bio, clean_line, clean_name
from webapp.core.text.parser import Unacceptable
from webapp.core.web import config, consume_for_viewer, unwrap
from webapp.core.web.request_log import note_refusal

PICTURE_TYPES = "image/jpeg,image/png,image/webp,image/gif"
NUMBER_PATTERN = re.compile(r"[1-9][0-9]{0,8}\Z")  # of a list or folder
Refusal = Refused | BadPicture
Validator = Callable[[Any, Field], None]
PICTURES_MAX = 4  # of the largest size that one form has room for


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site. It reads form bodies only, never JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """Settings of WTForms: CSRF, form data and translations."""

        csrf = False  # the guard has checked the token before the view (csrf.py)

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """Return the submitted fields without files, none for `formdata=None`."""
            return unwrap(request).form if formdata is not None and form.is_submitted() else None

        def bind_field(self, form: Any, unbound_field: Any, options: dict[str, Any]) -> Field:
            """Return a field of the form: a copy of the first one that this process has made.

            Why, measured: to construct a field takes WTForms longer than all that follows, and a
            post has thirteen (docs/performance.md). So a field's `__init__` must not depend on the
            request, and what it makes is not changed in place.
            """
            name = options["name"]  # who sends a form chooses the names and prefixes of its rows
            declared: Any = getattr(type(form), name, None)
            if options.get("prefix") or declared is not unbound_field:
                return super().bind_field(form, unbound_field, options)
            if "first" not in vars(unbound_field):
                unbound_field.first = super().bind_field(form, unbound_field, options)
                unbound_field.first._form = None
            first = unbound_field.first
            field: Field = object.__new__(type(first))
            vars(field).update(vars(first))
            field._form, field.meta, field._translations = form, self, options["translations"]
            field.label = Label(field.id, first.label.text)  # forms may change its text
            return field

        def get_translations(self, form: Any) -> NullTranslations:
            """Return WTForms' messages. Flask-WTF would read them from the disk each time."""
            return wtforms_translations(preferences.language().locale)

    http_status = 200  # of the page that shows the form: what it was refused with, if it was
    http_headers: Mapping[str, str] = MappingProxyType({})  # and when to try again, if known
    outcome: Any = None  # what carrying it out has returned

    def validate(self, extra_validators: Any = None) -> bool:
        """Validate the fields. The log says that a form was refused, never what was in it."""
        is_valid: bool = super().validate(extra_validators)
        if not is_valid:
            self.http_status = 422
            note_refusal("invalid_form")
        return is_valid

    def is_accepted(self) -> bool:
        """Return True if the form was sent, and may be carried out."""
        return bool(self.validate_on_submit())

    def carry_out(
        self,
        act: Callable[[], object],
        *limit: str,
        field: str = "",
        refusals: type[Refusal] | tuple[type[Refusal], ...] = Conflict,
    ) -> bool:
        """Carry out `act` if the form is accepted. On False the form says why that was not done.

        `limit`: counts the act, as `consume_for_viewer` does. `field`: the one that shows
        `refusals`. Raises RateLimited, and other refusals of the act.
        """
        if not self.is_accepted():
            return False
        if limit:
            consume_for_viewer(*limit)
        try:
            self.outcome = act()
        except refusals as refusal:
            self.refuse(refusal, field)
            return False
        return True

    def render(self, template: str, **context: object) -> tuple[str, int]:
        """Return the page of a template that shows the form, and its status."""
        return render_template(template, form=self, **context), self.http_status

    def refuse(self, refusal: Refusal, field: str = "") -> Self:
        """Show a refusal at a field, or above the form without one. Return the form."""
        errors = [str(refusal.sentence)]
        self.http_status = refusal.status
        if isinstance(refusal, Refused) and refusal.retry_after:
            self.http_headers = {"Retry-After": str(refusal.retry_after)}
        if field:
            self[field].errors = errors
        else:
            self.form_errors = errors
        return self


class LazySubform(Form):
    """Fields of a larger form that most members leave as they are, made only when needed."""

    UNTOUCHED: ClassVar[dict[str, str]]  # the value that each sends if nobody touched it

    def __init__(self, parent_form: Form, **options: Any) -> None:
        self.parent_form = parent_form
        super().__init__(**options)

    @classmethod
    def is_filled(cls, prefix: str = "") -> bool:
        """Return True if any of the fields was touched. `prefix`: of their names."""
        form_data = unwrap(request).form
        return any(
            form_data[prefix + name] != untouched
            for name, untouched in cls.UNTOUCHED.items()
            if prefix + name in form_data
        )

    @property
    def prefix(self) -> str:
        """Return the prefix of its fields' names."""
        return str(self._prefix)

    def is_submitted(self) -> bool:
        """Return True if the larger form is submitted."""
        return bool(self.parent_form.is_submitted())


@dataclass(frozen=True, slots=True)
class UploadedPicture:
    """A chosen picture."""

    file: FileStorage
    alt: str  # what it shows
    focus: str = ""  # the point that must not be cut off, "" for none


def uploaded_pictures() -> list[UploadedPicture]:
    """Return the request's files `pictures`, each with the `alt` and `focus` of its row."""
    flask_request = unwrap(request)
    files = flask_request.files.getlist("pictures")
    missing = [""] * len(files)
    alts = [*flask_request.form.getlist("alt"), *missing]
    focuses = [*flask_request.form.getlist("focus"), *missing]
    rows = zip(files, alts, focuses, strict=False)
    return [UploadedPicture(file, alt, focus) for file, alt, focus in rows if file.filename]


def ticked_numbers(name: str) -> dict[int, bool]:
    """Return the numbers whose boxes a form showed (its fields `shown`), and which are ticked.

    `name`: of the boxes.
    """
    ticked = set(request.form.getlist(name))
    shown = (text for text in request.form.getlist("shown") if NUMBER_PATTERN.match(text))
    return {int(text): text in ticked for text in shown}


def normalize_line(raw: str | None, max_length: int) -> str:
    """Return a clean line, perhaps an empty one. Raises ValidationError over `max_length`."""
    return _clean_or_invalid(clean_line, raw, max_length)


def normalize_name(raw: str | None, max_length: int, missing: str) -> str:
    """Return a clean name. Raises ValidationError, with the sentence `missing` if none is left."""
    return _clean_or_invalid(clean_name, raw, max_length, missing)


def normalize_text(raw: str | None, max_length: int, missing: str = "") -> str:
    """Return a few clean lines. Raises ValidationError over `max_length`.

    `missing`: the sentence that refuses an empty text, "" if it may be empty.
    """
    text = _clean_or_invalid(clean_bio, raw, max_length)
    if missing and not text:
        raise ValidationError(missing)
    return text


def cleaned(normalize: Callable[..., str], limit: int | str, *sentences: Any) -> Validator:
    """Return a validator that puts the clean text into a field, as one of the above returns it.

    `limit`: most characters, or the name of the setting that says so.
    """

    def validate(_form: object, field: Field) -> None:
        most = getattr(config(), limit) if isinstance(limit, str) else limit
        field.data = normalize(field.data, most, *sentences)

    return validate


def needed(normalize: Callable[..., str], limit: int | str, missing: Any) -> list[Validator]:
    """Return the validators of a text that must be given: see `cleaned`."""
    return [InputRequired(missing), cleaned(normalize, limit, missing)]


def _clean_or_invalid(
    clean: Callable[[str, int], str], raw: str | None, max_length: int, missing: str = ""
) -> str:
    try:
        return clean(raw or "", max_length)
    except Unacceptable as error:
        length, most = error.weight, max_length
        too_long = _(
            "That’s %(length)d characters. The limit is %(most)d.", length=length, most=most
        )
        handle = _("A name can’t look like a username. Leave out the @.")
        sentences = {"too_long": too_long, "handle": handle, "empty": missing}
        raise ValidationError(sentences[error.reason]) from None
