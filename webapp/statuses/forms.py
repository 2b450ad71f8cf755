"""The form of a post."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from flask import g
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from wtforms import HiddenField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.accounts import quote_policy
from webapp.accounts.store import Member
from webapp.core.forms.fields import (
    PICTURES_MAX,
    Form,
    PicturesField,
    UploadedPicture,
    normalize_line,
)
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import Parsed, Unacceptable, parse
from webapp.core.web.context import config
from webapp.errors import SENTENCES

from .attachments.pictures import FOCUSES
from .attachments.place_forms import PlaceForm
from .attachments.places import Place
from .polls.forms import PollForm
from .polls.poll import Poll
from .status import Status
from .visibility.reply_policy import ReplyPolicy
from .visibility.reply_policy import parse_reply_policy as repliers
from .visibility.visibility import Visibility, allowed_for_reply, parse_visibility

FORM_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
REPLY_MENTIONS_MAX: Final = 10  # names that a reply begins with
VISIBILITY_LABELS = {
    Visibility.PUBLIC: _l("Everybody"),
    Visibility.UNLISTED: _l("Everybody, but not on public pages"),
    Visibility.FOLLOWERS: _l("My followers"),
    Visibility.MENTIONED: _l("Only those I mention"),
}
REPLY_POLICY_LABELS = {
    ReplyPolicy.EVERYBODY: _l("Everybody"),
    ReplyPolicy.FOLLOWED: _l("Those I follow"),
    ReplyPolicy.MENTIONED: _l("Only those I mention"),
}


def new_form_key() -> str:
    """A form's key."""
    return secrets.token_urlsafe(12)


class TextForm(Form):
    """The words of a status. Once valid, `parsed` is its text."""

    text = TextAreaField(_l("What is happening?"))
    cw = StringField(_l("Warning"), render_kw={"autocomplete": "off"})
    parsed: Parsed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_characters = config().status_max
        self.text.description = _l("%(num)d characters; a link counts 23.", num=self.max_characters)

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it."""
        try:
            self.parsed = parse(field.data or "", self.max_characters)
        except Unacceptable as error:
            raise ValidationError(self._error_message(error)) from None

    def validate_cw(self, field: StringField) -> None:
        """One line, or nothing. It has a limit of its own: to warn takes no words away from the text."""
        field.data = normalize_line(field.data, config().cw_max)

    def _error_message(self, error: Unacceptable) -> str:
        if error.reason == "empty":
            return str(_l("Write something first."))
        if error.reason == "forbidden":
            return str(_l("The text holds characters that cannot be posted."))
        excess = (error.weight or self.max_characters + 1) - self.max_characters
        return str(
            ngettext(
                "That is %(num)d character too long.",
                "That is %(num)d characters too long.",
                excess,
            )
        )


class EditForm(TextForm):
    """Other words for a status. `version` is the one that they were written on."""

    version = HiddenField()


class QuotePolicyForm(Form):
    """Who may quote a status from now on."""

    quoting = SelectField(
        _l("Who may quote it"), choices=quote_policy.choices(), id="quoting-now"
    )  # beside a composer's


class PostForm(TextForm):
    """A status to post. `key` is made with the form: the same one twice with the same text posts once. `reply`: the id
    of the status it answers; `quote`: of the one it quotes, and `card`: what is shown of that. `visibility`,
    `answerers`, `quoting`: words of what is called so. `pictures_max`: how many pictures it may have. `asking`,
    `placing`: its parts. Once valid, `poll` is what it asks, if anything, and `where` the place that its author gave.
    """

    key = HiddenField()
    reply = HiddenField()
    quote = StringField()
    visibility = SelectField(
        _l("Who can see it"),
        choices=[SelectChoice(one.slug, label) for one, label in VISIBILITY_LABELS.items()],
        default=Visibility.PUBLIC.slug,
    )
    answerers = SelectField(
        _l("Who can reply"),
        choices=[SelectChoice(one.slug, label) for one, label in REPLY_POLICY_LABELS.items()],
        default=ReplyPolicy.EVERYBODY.slug,
    )
    quoting = SelectField(
        _l("Who may quote it"),
        choices=quote_policy.choices(),
        default=lambda: g.viewer.quote_policy.slug,
    )
    pictures = PicturesField(_l("Add pictures"))
    poll: Poll | None = None
    parsed_place: Place | None = None
    quote_preview: Status | None = None

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=data, **kwargs)
        self._initial_data = data
        self.pictures_max, self.alt_max = (
            min(config().status_pictures_max, PICTURES_MAX),
            config().alt_max,
        )
        if not FORM_KEY_PATTERN.match(self.key.data or ""):
            self.key.data = new_form_key()
        if self.reply.data:
            self.text.label.text = _("Write a reply")

    @classmethod
    def for_reply(cls, status: Status, replier_login: str) -> PostForm:
        """The form of a reply to a status: those whom it is to reach stand in it, but for who writes it."""
        logins = [
            status.author.login,
            *(entity.text for entity in status.entities if entity.kind == "mention"),
        ]
        login_by_lower = {
            name.lower(): name for name in reversed(logins) if name.lower() != replier_login.lower()
        }
        order = dict.fromkeys(name.lower() for name in logins if name.lower() in login_by_lower)
        mentions = "".join(
            f"@{name} " for name in [login_by_lower[one] for one in order][:REPLY_MENTIONS_MAX]
        )
        slug = status.visibility.slug
        form = cls(formdata=None, data={"text": mentions, "reply": status.id, "visibility": slug})
        form.visibility.choices = [
            SelectChoice(one.slug, VISIBILITY_LABELS[one])
            for one in allowed_for_reply(status.visibility)
        ]
        return form

    @cached_property
    def poll_form(self) -> PollForm:
        """The part that asks a poll."""
        return PollForm(self, data=self._initial_data)

    @cached_property
    def place_form(self) -> PlaceForm:
        """The part that says where it was written."""
        return PlaceForm(self, data=self._initial_data)

    def validate(self, extra_validators: Any = None) -> bool:
        """All of it, but a part only where something is filled in."""
        valid = bool(super().validate(extra_validators))
        if PollForm.is_filled():
            valid, self.poll = self.poll_form.validate() and valid, self.poll_form.poll
        if PlaceForm.is_filled():
            valid, self.parsed_place = (
                self.place_form.validate() and valid,
                self.place_form.parsed_place,
            )
        return valid

    @property
    def reply_to_id(self) -> int | None:
        """The id of the status that it answers, if any."""
        return parse_id(str(self.reply.data or ""))

    @property
    def quoted_id(self) -> int | None:
        """The id of the status that it quotes, if any."""
        return parse_id(str(self.quote.data or ""))

    @property
    def chosen_visibility(self) -> Visibility | None:
        """How visible it is to be, if that was said. Once valid."""
        return parse_visibility(self.visibility.data) if self.visibility.raw_data else None

    @property
    def reply_policy(self) -> ReplyPolicy:
        """Who may reply. Once valid."""
        return repliers(self.answerers.data)

    def validate_reply(self, field: HiddenField) -> None:
        """A status's id, where there is anything. It is the store that knows whether it may be answered."""
        if field.data and not self.reply_to_id:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_quote(self, field: StringField) -> None:
        """The same of the one that it quotes."""
        if field.data and not self.quoted_id:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it. Nothing where there are pictures."""
        try:
            self.parsed = parse(field.data or "", self.max_characters)
        except Unacceptable as error:
            if error.reason == "empty" and self.pictures.data:
                self.parsed = Parsed("", 0, ())
                return
            raise ValidationError(self._error_message(error)) from None

    def validate_pictures(self, field: PicturesField) -> None:
        """Not too many, not too much said of any, and a known part of each."""
        limit = self.pictures_max
        if len(field.data) > limit:
            raise ValidationError(
                ngettext(
                    "A post has at most %(num)d picture.",
                    "A post has at most %(num)d pictures.",
                    limit,
                )
            )
        if any(one.focus not in FOCUSES for one in field.data):
            raise ValidationError(field.gettext("Not a valid choice."))
        field.data = [
            UploadedPicture(one.file, normalize_line(one.alt, self.alt_max), one.focus)
            for one in field.data
        ]


class BlankPostForm(PostForm):
    """One with nothing in it, whatever was sent: how it looks is kept (pieces.py)."""

    def __init__(self, writer: Member) -> None:
        super().__init__(data={"quoting": writer.quote_policy.slug})

    def is_submitted(self) -> bool:
        """Never, so that it reads nothing of the request."""
        return False
