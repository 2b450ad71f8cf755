"""The form that posts a status."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from flask import g, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from wtforms import HiddenField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.accounts.quote_policy import choices as quote_policies
from webapp.accounts.quote_policy import parse_quote_policy
from webapp.core.errors import SENTENCES, Refused
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import Unacceptable, parse
from webapp.core.web.context import config
from webapp.statuses.attachments.place_forms import PlaceForm
from webapp.statuses.polls.forms import PollForm
from webapp.statuses.status import Status
from webapp.statuses.values.places import Place
from webapp.statuses.values.poll import Poll
from webapp.statuses.values.reply_policy import ReplyPolicy, parse_reply_policy
from webapp.statuses.values.visibility import Visibility, parse_visibility
from webapp.statuses.visibility.choices import REPLY_POLICY_LABELS, VISIBILITY_LABELS

from .picture_rows import PicturesField, clean_pictures
from .remembered_audience import Audience
from .text_form import TextForm
from .thread_parts import PARTS_MAX, ThreadPart, thread_parts

FORM_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")


def new_form_key() -> str:
    """Return a key for a form, so that a form that is sent twice posts once."""
    return secrets.token_urlsafe(12)


class PostForm(TextForm):
    """A status to post. Once valid, `poll` and `parsed_place` hold these parts, if it has them."""

    key = HiddenField()  # the same key and text post once
    reply = HiddenField()  # id of the status it answers
    quote = StringField()  # id of the status it quotes
    visibility = SelectField(
        _l("Who can see it"),
        choices=[SelectChoice(one.slug, label) for one, label in VISIBILITY_LABELS.items()],
        default=Visibility.PUBLIC.slug,
    )
    reply_policy = SelectField(
        _l("Who can reply"),
        choices=[SelectChoice(one.slug, label) for one, label in REPLY_POLICY_LABELS.items()],
        default=ReplyPolicy.EVERYBODY.slug,
    )
    quote_policy = SelectField(
        _l("Who can quote it"),
        choices=quote_policies(),
        default=lambda: g.viewer.quote_policy.slug,
    )
    pictures = PicturesField(_l("Add pictures"))
    poll: Poll | None = None
    parsed_place: Place | None = None
    quote_preview: Status | None = None  # the quoted status, as the writer may see it

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=data, **kwargs)
        self._initial_data = data
        self.pictures_max = min(config().status_pictures_max, PICTURES_MAX)
        self.alt_max = config().alt_max
        self.more = thread_parts(request.form if self.is_submitted() else data or {})
        if not FORM_KEY_PATTERN.match(self.key.data or ""):
            self.key.data = new_form_key()
        if self.reply.data:
            self.text.label.text = _("Write a reply")
        elif self.quote.data:
            self.text.label.text = _("Add your thoughts")

    @cached_property
    def poll_form(self) -> PollForm:
        """Return the part that asks a poll."""
        return PollForm(self, data=self._initial_data)

    @cached_property
    def place_form(self) -> PlaceForm:
        """Return the part with the location."""
        return PlaceForm(self, data=self._initial_data)

    def validate(self, extra_validators: Any = None) -> bool:
        """Validate all of it; a part only if something in it is filled in."""
        valid = bool(super().validate(extra_validators))
        for part in self.more:
            valid = self._validate_part(part) and valid
        if PollForm.is_filled():
            valid = self.poll_form.validate() and valid
            self.poll = self.poll_form.poll
        if PlaceForm.is_filled():
            valid = self.place_form.validate() and valid
            self.parsed_place = self.place_form.parsed_place
        return valid

    @property
    def reply_to_id(self) -> int | None:
        """Return the id of the status it answers, if any."""
        return parse_id(str(self.reply.data or ""))

    @property
    def quoted_id(self) -> int | None:
        """Return the id of the status it quotes, if any."""
        return parse_id(str(self.quote.data or ""))

    @property
    def chosen_visibility(self) -> Visibility | None:
        """Return the visibility of a valid form, None if none was chosen."""
        return parse_visibility(self.visibility.data) if self.visibility.raw_data else None

    def show_refusal(self, refusal: Refused) -> None:
        """Show why the store refused the form."""
        self.text.errors = [str(refusal.sentence)]
        if refusal.code == "no_upload":  # the draft has changed meanwhile
            self.pictures.forget_stored()

    @property
    def audience(self) -> Audience:
        """Return the audience of a valid form."""
        return Audience(
            self.chosen_visibility or Visibility.PUBLIC,
            parse_reply_policy(self.reply_policy.data),
            parse_quote_policy(self.quote_policy.data),
        )

    def validate_reply(self, field: HiddenField) -> None:
        """Require a status id or nothing. The store checks whether it may be answered."""
        if field.data and not self.reply_to_id:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_quote(self, field: StringField) -> None:
        """Require a status id or nothing. The store checks whether it may be quoted."""
        if field.data and not self.quoted_id:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_text(self, field: Any) -> None:
        """Parse the text, which may be empty if there are pictures."""
        self.parse_text(field, is_required=not self.pictures.data)

    @property
    def can_have_more(self) -> bool:
        """Return True if there is room for another post of the thread."""
        return len(self.more) < PARTS_MAX

    def add_part(self) -> None:
        """Show an empty field for another post, if there is room."""
        if self.can_have_more:
            self.more.append(ThreadPart(len(self.more) + 2))

    def _validate_part(self, part: ThreadPart) -> bool:
        try:
            part.parsed = parse(part.text, self.max_characters)
        except Unacceptable as error:
            part.errors = [self._error_message(error)]
        return not part.errors

    def has_valid_pictures(self) -> bool:
        """Validate the pictures alone, for a draft."""
        return bool(self.pictures.validate(self, [PostForm.validate_pictures]))

    def validate_pictures(self, field: PicturesField) -> None:
        """Check the number of pictures, their alternative texts and their focus."""
        if field.has_unknown:
            raise ValidationError(str(SENTENCES["no_upload"]))
        if len(field.data) > self.pictures_max:
            raise ValidationError(
                ngettext(
                    "A post has at most %(num)d picture.",
                    "A post has at most %(num)d pictures.",
                    self.pictures_max,
                )
            )
        clean_pictures(field, self.alt_max)
