"""The forms of chats: a message, a group, its settings, its people, an invitation."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from wtforms import (
    BooleanField,
    HiddenField,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from webapp.core.forms.fields import Form, PictureField, normalize_line, normalize_text
from webapp.core.text.parser import Parsed, Unacceptable
from webapp.core.web.context import config

from .messages.message_text import parse_emoji, parse_message
from .store import Chat

KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
LOGIN_SEPARATORS = re.compile(r"[\s,;，、；]+")
NAME_MAX = 60  # characters of a group's name
TOPIC_MAX = 200  # characters
REASON_MAX = 500  # characters of why something is reported
INVITE_HOURS = (1, 24, 168, 720)  # for which an invitation may be good
KIND_CHOICES = (
    ("private", _l("Private: people come by invitation")),
    ("open", _l("Open: anybody who is signed in may join")),
    ("announcement", _l("Announcements: only owners write")),
)
RETENTION_CHOICES = (
    ("history", _l("Keep messages, up to a large number")),
    ("fetched", _l("Let a message go once everybody has got it")),
)
EMPTY_TEXT = Parsed("", 0, ())


def _choices(pairs: Iterable[tuple[Any, Any]]) -> list[SelectChoice]:
    return [SelectChoice(value, label) for value, label in pairs]


class IdempotentForm(Form):
    """A form whose `key` is made with it, so that it takes effect once however often it is sent."""

    key = HiddenField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not KEY_PATTERN.match(self.key.data or ""):
            self.key.data = secrets.token_urlsafe(12)


class TextForm(Form):
    """The words of a message. Once valid, `parsed` is what they are."""

    text = TextAreaField(_l("Message"))
    parsed: Parsed = EMPTY_TEXT

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it."""
        self.parsed = _parse_text(field, required=self.requires_text())

    def requires_text(self) -> bool:
        """Whether there has to be any."""
        return True


class MessageForm(IdempotentForm, TextForm):
    """A message to send: words, pictures or a post. `reply` and `status` are ids; `carries`: there are pictures."""

    reply = HiddenField()
    status = HiddenField()
    has_pictures = False

    def requires_text(self) -> bool:
        """Not where there is a picture or a post."""
        return not (self.has_pictures or self.status.data)


class EditForm(TextForm):
    """Other words for a message."""


class ReactForm(Form):
    """One emoji; once valid, in its full form."""

    emoji = StringField(_l("Emoji"), render_kw={"autocomplete": "off"})

    def validate_emoji(self, field: StringField) -> None:
        """One, and nothing else."""
        emoji = parse_emoji(field.data or "")
        if emoji is None:
            raise ValidationError(_("That is no emoji. Choose a single one."))
        field.data = emoji


class ReportForm(Form):
    """Why something is reported; `message`: its id, or nothing for the chat."""

    message = HiddenField()
    reason = TextAreaField(_l("What is wrong with it?"), render_kw={"rows": "3"})

    def validate_reason(self, field: TextAreaField) -> None:
        """A few lines, or none."""
        field.data = normalize_text(field.data, REASON_MAX)


class PeopleForm(Form):
    """Members by their logins. Once valid, `logins` has them, without repeats."""

    people = StringField(
        _l("People"),
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )
    logins: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people.description = _("Their logins, with spaces between: @wren @goldfinch")

    def validate_people(self, field: StringField) -> None:
        """As many as a chat may have."""
        logins = [
            part.removeprefix("@")
            for part in LOGIN_SEPARATORS.split(field.data or "")
            if part.strip("@")
        ]
        self.logins = tuple(dict.fromkeys(one.lower() for one in logins))
        if len(self.logins) >= config().chat_members_max:
            raise ValidationError(_("That is more people than a chat may have."))


class GroupForm(IdempotentForm, PeopleForm, TextForm):
    """A new group, with whom it begins and what is said first."""

    name = StringField(
        _l("Name of the group"),
        [InputRequired(_l("Give the group a name."))],
        render_kw={"autocomplete": "off"},
    )
    topic = StringField(_l("What it is about"), render_kw={"autocomplete": "off"})
    kind = RadioField(_l("Kind"), choices=_choices(KIND_CHOICES), default="private")
    shared = BooleanField(_l("Newcomers see what was written before they came"))

    def validate_name(self, field: StringField) -> None:
        """One line that shows something."""
        field.data = normalize_line(field.data, NAME_MAX)
        if not field.data:
            raise ValidationError(_("Give the group a name."))

    def validate_topic(self, field: StringField) -> None:
        """One line, or none."""
        field.data = normalize_line(field.data, TOPIC_MAX)

    def requires_text(self) -> bool:
        """A group may begin in silence."""
        return False


class SettingsForm(Form):
    """What owners may change of a group."""

    name = GroupForm.name
    topic = GroupForm.topic
    kind = RadioField(_l("Kind"), choices=_choices(KIND_CHOICES))
    shared = BooleanField(_l("Newcomers see what was written before they came"))
    keep = RadioField(_l("Messages"), choices=_choices(RETENTION_CHOICES))
    picture = PictureField(_l("Picture"))
    remove_picture = BooleanField(_l("Remove the picture"))
    validate_name, validate_topic = GroupForm.validate_name, GroupForm.validate_topic

    @classmethod
    def from_chat(cls, chat: Chat) -> SettingsForm:
        """The form with what the chat is now."""
        return cls(
            name=chat.name,
            topic=chat.topic,
            kind=chat.kind,
            shared=chat.history_shared,
            keep=chat.retention,
        )


class InviteForm(Form):
    """For how many people, and how long, a link is good."""

    uses = IntegerField(
        _l("For how many people"),
        default=10,
        render_kw={"min": "1", "max": "500", "inputmode": "numeric"},
    )
    hours = SelectField(_l("Good for"), coerce=int, default=24)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.hours.choices = _choices((hours, _format_hours(hours)) for hours in INVITE_HOURS)

    def validate_uses(self, field: IntegerField) -> None:
        """Not by NumberRange, which cannot take a number of some hundred digits."""
        if field.data is None or not 1 <= field.data <= 500:
            raise ValidationError(_("From 1 to 500 people."))


def _format_hours(hours: int) -> str:
    if hours < 48:
        return str(ngettext("%(num)d hour", "%(num)d hours", hours))
    return str(ngettext("%(num)d day", "%(num)d days", hours // 24))


def _parse_text(field: TextAreaField, required: bool) -> Parsed:
    """The message in a field. Raises ValidationError."""
    max_length = config().chat_message_max
    try:
        return parse_message(field.data or "", max_length)
    except Unacceptable as error:
        if error.reason == "empty" and not required:
            return EMPTY_TEXT
        raise ValidationError(_error_message(error, max_length)) from None


def _error_message(error: Unacceptable, max_length: int) -> str:
    if error.reason == "empty":
        return str(_("Write something first."))
    if error.reason == "forbidden":
        return str(_("The text holds characters that cannot be posted."))
    excess = max(error.weight - max_length, 1)
    return str(
        ngettext(
            "That is %(num)d character too long.", "That is %(num)d characters too long.", excess
        )
    )
