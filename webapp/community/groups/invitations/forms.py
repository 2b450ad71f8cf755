"""The form of invitations by name. That of links is the one of chats."""

from __future__ import annotations

from flask_babel import gettext as _
from wtforms.validators import ValidationError

from webapp.autocomplete.picking.forms import PeopleField, PickerForm

INVITED_MAX = 20  # members whom one form invites


class InviteMembersForm(PickerForm):
    """Members to invite to a group."""

    def validate_people(self, field: PeopleField) -> None:
        """Require some people, but not too many. Raises ValidationError."""
        if not field.logins:
            raise ValidationError(_("Choose someone first."))
        if len(field.logins) > INVITED_MAX:
            raise ValidationError(_("Choose at most %(num)d people at a time.", num=INVITED_MAX))
