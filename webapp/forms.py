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
from .words import of_wtforms

PICTURES = "image/jpeg,image/png,image/webp,image/gif"
PICTURES_MAX = 4  # as large as they may be, that a form with several has room for


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site: read from a form's body only, never from JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """How the form is read."""

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
    """A picture that was chosen, and what its sender says it shows."""

    file: FileStorage
    alt: str


def chosen() -> list[Chosen]:
    """The files `pictures` of the request, each with the `alt` that stood beside it."""
    alts = request.form.getlist("alt")
    files = enumerate(request.files.getlist("pictures"))
    return [Chosen(file, alts[at] if at < len(alts) else "") for at, file in files if file.filename]


class PicturesField(FileField):  # type: ignore[misc]
    """Several uploaded pictures: what was `chosen`; `alts` are what all the texts beside them hold."""

    alts: tuple[str, ...] = ()

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, default=(), **options)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """The files, by whatever name the field goes."""
        self.data, self.alts = chosen(), tuple(request.form.getlist("alt"))
