"""What all forms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babel.support import NullTranslations
from flask import request
from flask_wtf import FlaskForm
from werkzeug.datastructures import FileStorage
from wtforms import FileField

from . import preferences
from .form_cookie import form_token
from .words import of_wtforms

PICTURES = "image/jpeg,image/png,image/webp,image/gif"
PICTURES_MAX = 4  # as large as they may be, that a form with several has room for


class Token(FlaskForm.Meta.csrf_class):  # type: ignore[misc]
    """A form's token: the request's, which is made once."""

    def generate_csrf_token(self, csrf_token_field: Any) -> str:
        """It, whether the form is shown or not."""
        return form_token()


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site: read from a form's body only, never from JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """How the form is read."""

        csrf_class = Token

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """The request's form fields, once it is sent. Not its files: only a PictureField takes one."""
            return request.form if form.is_submitted() else None

        def get_translations(self, form: Any) -> NullTranslations:
            """WTForms' own words in the language of the request; Flask-WTF would read them from the disk each time."""
            return of_wtforms(preferences.language().locale)


class PictureField(FileField):  # type: ignore[misc]
    """An uploaded picture: a FileStorage, or None when none was chosen."""

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, render_kw={"accept": PICTURES}, **options)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """The file of this name."""
        given = request.files.get(self.name)
        self.data = given if given and given.filename else None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A picture that was chosen, what its sender says it shows, and which part of it must not be cut off, if that was
    asked.
    """

    file: FileStorage
    alt: str
    focus: str = ""


def chosen() -> list[Chosen]:
    """The files `pictures` of the request, each with the `alt` and the `focus` that stood beside it."""
    files = request.files.getlist("pictures")
    alts, focuses = ([*request.form.getlist(name), *[""] * len(files)] for name in ("alt", "focus"))
    told = zip(files, alts, focuses, strict=False)
    return [Chosen(file, alt, focus) for file, alt, focus in told if file.filename]


class PicturesField(FileField):  # type: ignore[misc]
    """Several uploaded pictures: what was `chosen`; `alts` and `focuses` are what stood beside all places for them."""

    alts: tuple[str, ...] = ()
    focuses: tuple[str, ...] = ()

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, default=(), **options)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """The files, by whatever name the field goes."""
        self.data = chosen()
        self.alts, self.focuses = (tuple(request.form.getlist(name)) for name in ("alt", "focus"))
