"""Forms for group chats: making and changing one, its people, and invitations."""

from __future__ import annotations

from flask_babel import gettext as _, lazy_gettext as _l, ngettext
from wtforms import BooleanField, RadioField, SelectField, StringField, TextAreaField
from wtforms.validators import ValidationError

from webapp.autocomplete.picking.forms import PeopleField, PickerForm
from webapp.chat.forms import TextForm, choices
from webapp.chat.models import Chat
from webapp.core.forms.fields import Form, cleaned, needed, normalize_line, normalize_name
from webapp.core.forms.idempotency import IdempotentForm
from webapp.core.forms.number_field import NumberField
from webapp.core.forms.picture_field import PictureField
from webapp.core.web import config

NAME_MAX = 60  # characters
TOPIC_MAX = 200  # characters
INVITE_HOURS = (1, 24, 168, 720)
INVITE_USES_MAX = 500
KIND_CHOICES = (
    ("private", _l("Private: people join by invitation")),
    ("open", _l("Open: listed in Explore, and anyone with an account can join")),
    ("announcement", _l("Announcements: only owners can send messages")),
)
RETENTION_CHOICES = (
    ("history", _l("Keep messages, up to a limit")),
    ("fetched", _l("Delete messages once everyone has received them")),
)


class PeopleForm(PickerForm):
    """Members of a chat, by their logins."""

    def validate_people(self, field: PeopleField) -> None:
        """Refuse more people than a chat may have. Raises ValidationError."""
        if len(field.logins) >= config().chat_members_max:
            raise ValidationError(_("That’s more people than a chat can have."))


class GroupChatForm(IdempotentForm, PeopleForm, TextForm):
    """A new group chat, with its first members and its first message."""

    name = StringField(
        _l("Name of the group chat"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the group chat.")),
        render_kw={"autocomplete": "off"},
    )
    text = TextAreaField(_l("First message (optional)"))
    topic = StringField(
        _l("Topic (optional)"),
        [cleaned(normalize_line, TOPIC_MAX)],
        render_kw={"autocomplete": "off"},
    )
    kind = RadioField(_l("Type"), choices=choices(KIND_CHOICES), default="private")
    shared = BooleanField(_l("New members can see earlier messages"))

    def requires_text(self) -> bool:
        """Return False: a group chat may begin without a message."""
        return False


class SettingsForm(Form):
    """The settings of a group chat that its owners may change."""

    name = GroupChatForm.name
    topic = GroupChatForm.topic
    kind = RadioField(_l("Type"), choices=choices(KIND_CHOICES))
    shared = BooleanField(_l("New members can see earlier messages"))
    retention = RadioField(_l("Messages"), choices=choices(RETENTION_CHOICES))
    picture = PictureField(_l("Picture"))
    remove_picture = BooleanField(_l("Remove picture"))

    @classmethod
    def from_chat(cls, chat: Chat) -> SettingsForm:
        """Return the form with the chat's present values. Some chats keep their kind."""
        form = cls(
            name=chat.name,
            topic=chat.topic,
            kind=chat.kind,
            shared=chat.history_shared,
            retention=chat.retention,
        )
        if chat.group_slug:
            del form.kind
        return form


class InviteForm(Form):
    """The limits of an invitation: how many people may use it, and for how long."""

    uses = NumberField(
        _l("How many people can use it"),
        default=10,
        render_kw={"min": "1", "max": str(INVITE_USES_MAX), "inputmode": "numeric"},
    )
    hours = SelectField(
        _l("Valid for"),
        coerce=int,
        default=24,
        choices=lambda: choices((hours, _format_hours(hours)) for hours in INVITE_HOURS),
    )

    def validate_uses(self, field: NumberField) -> None:
        """Check the range. NumberRange fails on numbers of some hundred digits."""
        if field.data is None or not 1 <= field.data <= INVITE_USES_MAX:
            raise ValidationError(_("From 1 to 500 people."))


def _format_hours(hours: int) -> str:
    if hours < 48:
        return str(ngettext("%(num)d hour", "%(num)d hours", hours))
    return str(ngettext("%(num)d day", "%(num)d days", hours // 24))
