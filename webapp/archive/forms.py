"""The forms of one's own data."""

from __future__ import annotations

from typing import Any

from flask import request
from flask_babel import lazy_gettext as _l
from wtforms import FileField, SelectField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form

from .tables.formats import FILE_MAX, TABLES


class CsvField(FileField):  # type: ignore[misc]
    """An uploaded file: its content, up to one byte more than a file may have; None without one."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        upload = request.files.get(self.name)
        self.data = upload.stream.read(FILE_MAX + 1) if upload and upload.filename else None


class ImportForm(Form):
    """A CSV file, and what is in it."""

    table = SelectField(_l("What’s in the file"))
    file = CsvField(_l("CSV file"), render_kw={"accept": ".csv,text/csv"})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table.choices = [(one.slug, one.title) for one in TABLES.values()]

    def validate_file(self, field: CsvField) -> None:
        """Raises ValidationError without a file."""
        if field.data is None:
            raise ValidationError(_l("Choose a file."))
