"""The forms of groups."""

import re
from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l, lazy_pgettext as _lp
from wtforms import BooleanField, RadioField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form, cleaned, normalize_line, normalize_name, normalize_text
from webapp.core.forms.picture_field import PictureField
from webapp.core.web import config
from webapp.statuses.visibility.groups import GroupKind

from .models import Voting

NAME_MAX = 50  # characters
ABOUT_MAX = 300  # characters
RULES_MAX = 10  # lines
RULE_MAX = 200  # characters
SLUG_PATTERN = re.compile(r"(?=.*[a-z])[a-z0-9_-]{3,30}\Z")  # others are numbers of groups
RESERVED_SLUGS = frozenset({"join", "new"})
KIND_CHOICES = (
    SelectChoice(GroupKind.OPEN.value, _l("Open: anyone can read it, join and post")),
    SelectChoice(
        GroupKind.CLOSED.value, _l("Closed: owners let people in, and only members read it")
    ),
    SelectChoice(
        GroupKind.ANNOUNCEMENTS.value,
        _l("Announcements: anyone can read it and join, only owners post"),
    ),
)
VOTING_CHOICES = (
    SelectChoice(Voting.UP.value, _l("Members vote posts up")),
    SelectChoice(Voting.BOTH.value, _l("Members vote posts up or down")),
    SelectChoice(Voting.OFF.value, _l("No votes")),
)


class GroupForm(Form):
    """The texts of a group, and how its posts are voted on."""

    name = StringField(
        _lp("community", "Name"),
        [cleaned(normalize_name, NAME_MAX, _l("Give the group a name."))],
        render_kw={"autocomplete": "off"},
    )
    about = TextAreaField(
        _l("What it’s about"), [cleaned(normalize_text, ABOUT_MAX)], render_kw={"rows": 3}
    )
    rules = TextAreaField(
        _l("Rules"), description=_l("One a line, at most 10."), render_kw={"rows": 5}
    )
    voting = RadioField(_l("Votes"), choices=VOTING_CHOICES, coerce=Voting, default=Voting.UP)

    def validate_rules(self, field: TextAreaField) -> None:
        """Clean the rules, one a line. Raises ValidationError."""
        lines = [normalize_line(line, RULE_MAX) for line in (field.data or "").splitlines()]
        rules = [line for line in lines if line]
        if len(rules) > RULES_MAX:
            raise ValidationError(_("Give at most %(num)d rules.", num=RULES_MAX))
        field.data = "\n".join(rules)


class SettingsForm(GroupForm):
    """The settings of a group, which its owners change."""

    picture = PictureField(_l("Picture"))
    remove_picture = BooleanField(_l("Remove picture"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.picture.description = _(
            "JPEG, PNG, WebP or GIF, up to %(size)d MB. Everyone can see it.",
            size=config().upload_max // 1_048_576,
        )


class NewGroupForm(GroupForm):
    """A new group."""

    rules = None  # written later
    slug = StringField(
        _l("Address"),
        description=_l("3 to 30 of a–z, 0–9, - and _, with a letter. It can’t change later."),
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )
    kind = RadioField(
        _l("Type"),
        description=_l("It can’t change later."),
        choices=KIND_CHOICES,
        coerce=GroupKind,
        default=GroupKind.OPEN,
    )

    def validate_slug(self, field: StringField) -> None:
        """Clean the address. Raises ValidationError."""
        field.data = (field.data or "").strip().lower()
        if not SLUG_PATTERN.match(field.data):
            raise ValidationError(_("Use 3 to 30 of a–z, 0–9, - and _, with a letter."))
        if field.data in RESERVED_SLUGS:
            raise ValidationError(_("This address is taken by a page of the site."))


class CloseForm(Form):
    """Closing a group: its name must be typed."""

    confirmed = StringField(_l("Name of the group"), render_kw={"autocomplete": "off"})

    def confirms(self, name: str) -> bool:
        """Return True if the name of the group was typed. Say so beside the field if not."""
        if (self.confirmed.data or "").strip() == name:
            return True
        self.confirmed.errors = [_("Type the name of the group to close it.")]
        self.http_status = 422
        return False
