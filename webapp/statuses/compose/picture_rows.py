"""The rows of a post's form with its pictures: new files, and pictures that its draft has.

A picture of the draft is sent along as a signed value, so a form that is sent twice is understood
the second time too, when the draft is gone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from flask import g, request
from itsdangerous import BadData, URLSafeSerializer
from werkzeug.datastructures import FileStorage
from wtforms import Field, FileField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import UploadedPicture, normalize_line
from webapp.core.media.signatures import current_signer
from webapp.core.net.encryption import accepted_keys
from webapp.core.web import config, unwrap
from webapp.statuses.attachments.staging import ChosenPicture
from webapp.statuses.values.pictures import Picture, is_focus

POSITION = re.compile("[1-9]")
UNKNOWN: Final = Picture("", 1, 1)  # for a value of the form that has no picture


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A row of the form: a new file, a picture of the draft, or neither."""

    upload: FileStorage | None = None
    stored: Picture | None = None
    alt: str = ""
    focus: str = ""

    @property
    def chosen(self) -> ChosenPicture | None:
        """Return its picture, if it has one. A new file replaces the draft's picture."""
        if self.upload:
            return UploadedPicture(self.upload, self.alt, self.focus)
        return replace(self.stored, alt=self.alt, focus=self.focus) if self.stored else None

    @property
    def token(self) -> str:
        """Return the value of the form's field for the draft's picture."""
        return _pack(self.stored) if self.stored else ""

    @property
    def preview(self) -> tuple[str, int, int]:
        """Return the draft's picture as a path, signed for its writer, a width and a height."""
        if self.stored is None:
            return "", 0, 0
        query = current_signer().query(self.stored.name)
        return replace(self.stored, query=query).paths[0]


class PicturesField(FileField):  # type: ignore[misc]
    """The pictures of a post. `rows` are all rows, chosen or not, in their order."""

    rows: tuple[PictureRow, ...] = ()
    has_unknown: bool = False  # a value without a picture of a draft

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, default=(), **options)

    @property
    def uploads(self) -> list[UploadedPicture]:
        """Return the new files. A form that comes back has lost them."""
        return [one for one in self.data if isinstance(one, UploadedPicture)]

    def process_data(self, value: Sequence[Picture]) -> None:
        """Show the pictures of a draft."""
        self._show(PictureRow(None, one, one.alt, one.focus) for one in value)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Read the rows of a submitted form."""
        rows = _rows_of_request(self.name.removesuffix("pictures"))
        self.has_unknown = any(row.stored is UNKNOWN for row in rows)
        self._show(replace(row, stored=None) if row.stored is UNKNOWN else row for row in rows)

    def slots(self, number: int) -> list[PictureRow]:
        """Return this many rows to choose pictures in."""
        return [*self.rows, *[PictureRow()] * number][:number]

    def replace_uploads(self, staged: Sequence[Picture]) -> None:
        """Show new files as pictures that are stored, so that the form sends the same again."""
        chosen = [row for row in self.rows if row.chosen]
        self._show(
            PictureRow(None, picture, row.alt, row.focus) if row.upload else row
            for row, picture in zip(chosen, staged, strict=True)
        )

    def forget_stored(self) -> None:
        """Forget the pictures of a draft that has them no longer."""
        self._show(replace(row, stored=None) for row in self.rows)

    def _show(self, rows: Iterable[PictureRow]) -> None:
        self.rows = tuple(rows)
        self.data = [chosen for row in self.rows if (chosen := row.chosen)]


def clean_pictures(field: Field, alt_max: int) -> None:
    """Clean the descriptions of a field's pictures. Raises ValidationError, also for a focus."""
    if not all(is_focus(picture.focus) for picture in field.data):
        raise ValidationError(field.gettext("Not a valid choice."))
    field.data = [
        replace(picture, alt=normalize_line(picture.alt, alt_max)) for picture in field.data
    ]


def _rows_of_request(prefix: str) -> list[PictureRow]:
    """Return the rows of the request in the order that their positions ask for.

    `prefix`: of the names of their fields.
    """
    flask_request = unwrap(request)
    files, form = flask_request.files.getlist(f"{prefix}pictures"), flask_request.form
    columns = [form.getlist(prefix + name) for name in ("stored", "alt", "focus", "position")]
    removed, seen, rows = set(form.getlist(f"{prefix}removed")), {""}, []
    for index in range(max(len(files), *map(len, columns))):
        upload = files[index] if index < len(files) and files[index].filename else None
        token, alt, focus, position = (
            column[index] if index < len(column) else "" for column in columns
        )
        if token and token in removed and not upload:
            continue
        stored = None if upload or token in seen else _unpack(token)
        seen.add(token)  # once
        rows.append((_rank(position, index), PictureRow(upload, stored, alt, focus)))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _rank(position: str, index: int) -> tuple[int, int]:
    """Return the sort key of a row: a row that moves up comes before the row that was there."""
    own = index + 1
    wanted = int(position) if POSITION.fullmatch(position) else own
    return wanted, (wanted > own) - (wanted < own)


def _pack(picture: Picture) -> str:
    parts = (
        *(picture.name, picture.width, picture.height),
        *(picture.colours, picture.digest, picture.animated),
    )
    token: str = _serializer().dumps(parts)
    return token


def _unpack(token: str) -> Picture:
    """Return the picture of a value, UNKNOWN if the value was not made for this member."""
    try:
        name, width, height, colours, digest, *animated = _serializer().loads(token)
    except BadData:
        return UNKNOWN
    return Picture(name, width, height, colours=colours, digest=digest, animated=any(animated))


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(
        accepted_keys(config()),
        f"linnet picture of a draft {g.viewer.uid}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": sha256},
    )
