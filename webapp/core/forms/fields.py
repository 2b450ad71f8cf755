"""What all forms share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from babel.support import NullTranslations
from flask import request
from flask_babel import gettext as _
from flask_wtf import FlaskForm
from werkzeug.datastructures import FileStorage
from wtforms import FileField
from wtforms.validators import ValidationError

from webapp.core.i18n import preferences
from webapp.core.i18n.catalogs import wtforms_translations
from webapp.core.text.parser import Unacceptable, clean_bio, clean_line
from webapp.core.web.context import unwrap

PICTURE_TYPES = "image/jpeg,image/png,image/webp,image/gif"
PICTURES_MAX = 4  # as large as they may be, that a form with several has room for


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site: read from a form's body only, never from JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """How the form is read."""

        csrf = False  # the guard has checked the token before the view (csrf.py)

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """The request's form fields, once it is sent. Not its files: only a PictureField takes one."""
            return request.form if form.is_submitted() else None

        def get_translations(self, form: Any) -> NullTranslations:
            """WTForms' own words in the language of the request; Flask-WTF would read them from the disk each time."""
            return wtforms_translations(preferences.language().locale)


class LazySubform(Form):
    """Fields of a larger form that most who send it leave as they are: made once they are looked at, or filled in."""

    UNTOUCHED: ClassVar[dict[str, str]]  # what is sent of each where nobody touched it

    def __init__(self, parent_form: Form, **options: Any) -> None:
        self.parent_form = parent_form
        super().__init__(**options)

    @classmethod
    def is_filled(cls) -> bool:
        """Whether anything was sent of them that needs to be looked at."""
        form_data = unwrap(request).form
        return any(
            name in form_data and form_data[name] != left for name, left in cls.UNTOUCHED.items()
        )

    def is_submitted(self) -> bool:
        """As the larger one is."""
        return bool(self.parent_form.is_submitted())


class PictureField(FileField):  # type: ignore[misc]
    """An uploaded picture: a FileStorage, or None when none was chosen."""

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, render_kw={"accept": PICTURE_TYPES}, **options)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """The file of this name."""
        upload = request.files.get(self.name)
        self.data = upload if upload and upload.filename else None


@dataclass(frozen=True, slots=True)
class UploadedPicture:
    """A picture that was chosen, what its sender says it shows, and which part of it must not be cut off, if that was
    asked.
    """

    file: FileStorage
    alt: str
    focus: str = ""


def uploaded_pictures() -> list[UploadedPicture]:
    """The files `pictures` of the request, each with the `alt` and the `focus` that stood beside it."""
    current_request = unwrap(request)
    files = current_request.files.getlist("pictures")
    alts, focuses = (
        [*current_request.form.getlist(name), *[""] * len(files)] for name in ("alt", "focus")
    )
    rows = zip(files, alts, focuses, strict=False)
    return [UploadedPicture(file, alt, focus) for file, alt, focus in rows if file.filename]


class PicturesField(FileField):  # type: ignore[misc]
    """Several uploaded pictures: what was `chosen`; `alts` and `focuses` are what stood beside all places for them."""

    alts: tuple[str, ...] = ()
    focuses: tuple[str, ...] = ()

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, default=(), **options)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """The files, by whatever name the field goes."""
        self.data = uploaded_pictures()
        form = unwrap(request).form
        self.alts, self.focuses = tuple(form.getlist("alt")), tuple(form.getlist("focus"))


def normalize_line(raw: str | None, max_length: int) -> str:
    """What is left of a line that need not show anything. Raises ValidationError over `most` code points."""
    return _clean_or_invalid(clean_line, raw, max_length)


def normalize_text(raw: str | None, max_length: int) -> str:
    """What is left of a few lines, perhaps nothing. Raises as `line`."""
    return _clean_or_invalid(clean_bio, raw, max_length)


def _clean_or_invalid(clean: Callable[[str, int], str], raw: str | None, max_length: int) -> str:
    try:
        return clean(raw or "", max_length)
    except Unacceptable as error:
        sentence = _(
            "That has %(length)d characters; at most %(most)d fit.",
            length=error.weight,
            most=max_length,
        )
        raise ValidationError(sentence) from None
