"""A form with a picker of people."""

import re
from collections.abc import Sequence

from flask import g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form
from webapp.core.store import Read
from webapp.core.web import consume_for_viewer

from .people import PeopleSearch, search_people

CHOSEN_MAX = 20  # people whom a ChosenForm takes
LOGIN_SEPARATORS = re.compile(r"[\s,;，、；]+")


class PeopleField(StringField):  # type: ignore[misc]
    """Logins, in several values or in one text."""

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """Join the values."""
        self.data = " ".join(valuelist)

    @property
    def logins(self) -> tuple[str, ...]:
        """Return the logins in lower case, without repeats."""
        parts = LOGIN_SEPARATORS.split(self.data or "")
        logins = (part.removeprefix("@").lower() for part in parts if part.strip("@"))
        return tuple(dict.fromkeys(logins))


class PickerForm(Form):
    """People to choose. `q`: the words that they are searched by; `find`: the button for it."""

    people = PeopleField(_l("People"))
    q = StringField()
    find = StringField()

    def is_accepted(self) -> bool:
        """Return True if the people may be taken. A form that looks for some is shown again.

        Raises RateLimited for too many of these.
        """
        if self.find.data or (self.q.data and not self.people.data):
            consume_for_viewer("autocomplete")
            return False
        return super().is_accepted()

    def search(self) -> Read[PeopleSearch]:
        """Read candidates for the people to show. Give them to `picker`."""
        return search_people(g.viewer.uid, self.q.data or "", self.people.logins)


class ChosenForm(PickerForm):
    """People to add: at least one, and at most CHOSEN_MAX."""

    def validate_people(self, field: PeopleField) -> None:
        """Require one to CHOSEN_MAX people. Raises ValidationError."""
        if not field.logins:
            raise ValidationError(_("Choose someone first."))
        if len(field.logins) > CHOSEN_MAX:
            raise ValidationError(_("Choose at most %(num)d people at a time.", num=CHOSEN_MAX))
