"""The form that edits a status."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import request
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, Field, HiddenField, TextAreaField

from webapp.core.text.parser import Parsed
from webapp.core.web import config
from webapp.statuses.compose.picture_rows import PictureRow, clean_pictures
from webapp.statuses.compose.text_form import TextForm
from webapp.statuses.status import Status
from webapp.statuses.values.pictures import Picture

from .editing import min_editable_id


class DescriptionsField(Field):  # type: ignore[misc]
    """The pictures of a status, each with a description and a focus. They stay in their order."""

    data: Sequence[Picture]

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read the descriptions, and the field `focus` of each. Absent ones stay as they are."""
        focuses = request.form.getlist("focus")
        if len(valuelist) == len(focuses) == len(self.data):
            rows = zip(self.data, valuelist, focuses, strict=True)
            self.data = [replace(one, alt=alt, focus=focus) for one, alt, focus in rows]

    @property
    def rows(self) -> list[PictureRow]:
        """Return the rows of the form."""
        return [PictureRow(None, one, one.alt, one.focus) for one in self.data]


class EditForm(TextForm):
    """A status to edit.

    `version`: the `Status.revision` that the edit is written on. `keep_text`: set if the form is
    too late for the text and the warning.
    """

    version = HiddenField()
    keep_text = HiddenField()
    alt = DescriptionsField(_l("Picture description"))
    sensitive = BooleanField(_l("Sensitive: hide pictures until people choose to look"))
    remove_place = BooleanField(_l("Remove the place"))

    def __init__(self, status: Status) -> None:
        values: dict[str, object] = {"alt": status.pictures, "sensitive": status.sensitive}
        if not self.is_submitted():
            is_late = status.id < min_editable_id(config())
            values |= {"version": status.revision, "keep_text": "1" if is_late else ""}
        if not self.is_submitted() or request.form.get("keep_text"):
            values |= {"text": status.text, "cw": status.cw}
        super().__init__(data=values)
        self.status = status
        self.alt_max = config().alt_max

    @property
    def is_empty(self) -> bool:
        """Return True if nothing of the status may be changed any longer."""
        return bool(self.keep_text.data and not self.status.pictures and not self.status.place)

    def validate_text(self, field: TextAreaField) -> None:
        """Parse the text, which may be empty if there are pictures. One that stays may stay."""
        if field.data == self.status.text:
            self.parsed = Parsed(self.status.text, 0, self.status.entities)
        else:
            self.parse_text(field, is_required=not self.status.pictures)

    def validate_alt(self, field: Any) -> None:
        """Check the descriptions and the focus of each picture."""
        clean_pictures(field, self.alt_max)
