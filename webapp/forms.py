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

from . import preferences
from .app import bound
from .text import Unacceptable, clean_bio, clean_line
from .words import of_wtforms

PICTURES = "image/jpeg,image/png,image/webp,image/gif"
PICTURES_MAX = 4  # as large as they may be, that a form with several has room for


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site: read from a form's body only, never from JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """How the form is read."""

        csrf = False  # the token of what is sent was looked at before the view (security.py)

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """The request's form fields, once it is sent. Not its files: only a PictureField takes one."""
            return request.form if form.is_submitted() else None

        def get_translations(self, form: Any) -> NullTranslations:
            """WTForms' own words in the language of the request; Flask-WTF would read them from the disk each time."""
            return of_wtforms(preferences.language().locale)


class Part(Form):
    """Fields of a larger form that most who send it leave as they are: made once they are looked at, or filled in."""

    LEFT: ClassVar[dict[str, str]]  # what is sent of each where nobody touched it

    def __init__(self, whole: Form, **options: Any) -> None:
        self.whole = whole
        super().__init__(**options)

    @classmethod
    def filled(cls) -> bool:
        """Whether anything was sent of them that needs to be looked at."""
        sent = bound(request).form
        return any(name in sent and sent[name] != left for name, left in cls.LEFT.items())

    def is_submitted(self) -> bool:
        """As the larger one is."""
        return bool(self.whole.is_submitted())


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
    asked = bound(request)
    files = asked.files.getlist("pictures")
    alts, focuses = ([*asked.form.getlist(name), *[""] * len(files)] for name in ("alt", "focus"))
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
        form = bound(request).form
        self.alts, self.focuses = tuple(form.getlist("alt")), tuple(form.getlist("focus"))


def line(raw: str | None, most: int) -> str:
    """What is left of a line that need not show anything. Raises ValidationError over `most` code points."""
    return _cleaned(clean_line, raw, most)


def lines(raw: str | None, most: int) -> str:
    """What is left of a few lines, perhaps nothing. Raises as `line`."""
    return _cleaned(clean_bio, raw, most)


def _cleaned(clean: Callable[[str, int], str], raw: str | None, most: int) -> str:
    try:
        return clean(raw or "", most)
    except Unacceptable as error:
        sentence = _("That has %(length)d characters; at most %(most)d fit.", length=error.weight, most=most)
        raise ValidationError(sentence) from None
