"""The forms of one's own data."""

from typing import Any

from flask import request
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import FileField, SelectField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form
from webapp.core.web import config

from .tables.formats import TABLES


class UploadField(FileField):  # type: ignore[misc]
    """An uploaded file: its content, up to one byte more than a picture may have; None without."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        upload = request.files.get(self.name)
        size = config().upload_max + 1
        self.data = upload.stream.read(size) if upload and upload.filename else None

    def pre_validate(self, form: Form) -> None:
        """Require a file. Raises ValidationError."""
        if self.data is None:
            raise ValidationError(_l("Choose a file."))


class ImportForm(Form):
    """A CSV file, and what is in it."""

    table = SelectField(
        _l("What’s in the file"),
        choices=lambda: [(one.slug, one.title) for one in TABLES.values()],
    )
    file = UploadField(_l("CSV file"), render_kw={"accept": ".csv,text/csv"})


class PostsForm(Form):
    """The archive of another site."""

    posts = UploadField(_l("Archive"), render_kw={"accept": ".zip,.json,.js"})

    def validate_posts(self, field: UploadField) -> None:
        """Refuse a file that is too big. Raises ValidationError."""
        if field.data and len(field.data) > config().upload_max:
            size = config().upload_max // 1_048_576
            raise ValidationError(
                _(
                    "That file is too big. It can have up to %(size)d MB: take outbox.json or "
                    "tweets.js out of it, and pack that as a ZIP file.",
                    size=size,
                )
            )
