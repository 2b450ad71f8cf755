"""The forms of lists."""

from __future__ import annotations

from typing import Any, TypedDict

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, StringField
from wtforms.validators import ValidationError

from webapp.accounts.store import LOGIN_PATTERN
from webapp.core.forms.fields import Form, normalize_name

NAME_MAX = 50  # characters of a list's name


class ListValues(TypedDict):
    """The values of a list that a form submits."""

    name: str
    private: bool
    exclusive: bool


class ListForm(Form):
    """The name and settings of a list."""

    name = StringField(_l("List name"), render_kw={"autocomplete": "off"})
    private = BooleanField(_l("Private: only you can see it"))
    exclusive = BooleanField(_l("Hide its members’ posts from my home page"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name.description = _("At most %(num)d characters.", num=NAME_MAX)

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        field.data = normalize_name(field.data, NAME_MAX, _("Give the list a name."))

    def values(self) -> ListValues:
        """Return the values of a valid form."""
        return {
            "name": str(self.name.data),
            "private": bool(self.private.data),
            "exclusive": bool(self.exclusive.data),
        }


class AddMemberForm(Form):
    """The login of a member to add to a list. Once valid, `login` is without the @."""

    login = StringField(
        _l("Add a member"),
        description=_l("A username, such as @wren."),
        render_kw={"autocomplete": "off", "autocapitalize": "none"},
    )

    def validate_login(self, field: StringField) -> None:
        """Require a login that an account can have."""
        field.data = (field.data or "").strip().removeprefix("@")
        if not LOGIN_PATTERN.match(field.data):
            raise ValidationError(_("Enter a username, such as @wren."))
