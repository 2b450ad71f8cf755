"""The form of bookmark folders."""

from __future__ import annotations

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import StringField

from webapp.core.forms.fields import Form, normalize_name

NAME_MAX = 50  # characters of a folder's name


class FolderForm(Form):
    """The name of a folder. `is_optional`: it may be left empty."""

    name = StringField(_l("Folder name"), render_kw={"autocomplete": "off"})

    def __init__(self, *args: Any, is_optional: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_optional = is_optional
        if is_optional:
            self.name.label.text = _("New folder")
        self.name.description = _("At most %(num)d characters.", num=NAME_MAX)

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        if self.is_optional and not (field.data or "").strip():
            field.data = ""
        else:
            field.data = normalize_name(field.data, NAME_MAX, _("Give the folder a name."))
