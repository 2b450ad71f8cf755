"""The forms of lists."""

from typing import TypedDict

from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, StringField

from webapp.core.forms.fields import Form, cleaned, normalize_name

from .store import NAME_MAX


class ListValues(TypedDict):
    """The values of a list that a form submits."""

    name: str
    private: bool
    exclusive: bool


class ListForm(Form):
    """The name and settings of a list."""

    name = StringField(
        _l("List name"),
        [cleaned(normalize_name, NAME_MAX, _l("Give the list a name."))],
        description=_l("At most %(num)d characters.", num=NAME_MAX),
        render_kw={"autocomplete": "off"},
    )
    private = BooleanField(_l("Private: only you can see it"))
    exclusive = BooleanField(_l("Hide its members’ posts from my home page"))

    def values(self) -> ListValues:
        """Return the values of a valid form."""
        return {
            "name": str(self.name.data),
            "private": bool(self.private.data),
            "exclusive": bool(self.exclusive.data),
        }
