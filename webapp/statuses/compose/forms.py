"""The form that posts a status."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.accounts.settings.quote_policy import choices as quote_policies, parse_quote_policy
from webapp.core.errors import SENTENCES, Refused
from webapp.core.forms.idempotency import IdempotentForm
from webapp.core.media.decoding import BadPicture
from webapp.core.store import parse_id
from webapp.statuses.status import Status
from webapp.statuses.values.reply_policy import ReplyPolicy, parse_reply_policy
from webapp.statuses.values.visibility import Visibility, parse_visibility
from webapp.statuses.visibility.choices import REPLY_POLICY_LABELS, VISIBILITY_LABELS
from webapp.statuses.visibility.groups import GROUPS_MAX, PostingGroup

from .part_form import PartForm
from .remembered_audience import Audience
from .thread_parts import PARTS_MAX, ThreadPart, draft_parts, submitted_parts

GROUP_REFUSALS = ("many_groups", "groups_not_open")  # the form offers the groups again


class SeveralField(StringField):  # type: ignore[misc]
    """Values of several controls of one name, with spaces."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Join the values."""
        self.data = " ".join(valuelist)


class SlugField(SelectField):  # type: ignore[misc]
    """One of a few choices.

    Why, measured: WTForms makes all choices of a field anew, only to compare what was sent.
    """

    def pre_validate(self, form: Any) -> None:
        """Refuse what is not among the choices, as WTForms does."""
        if all(choice.value != self.data for choice in self.choices):
            super().pre_validate(form)


class PostForm(PartForm, IdempotentForm):
    """A status to post. `more`: the further posts of a thread, each a form of its own."""

    reply = HiddenField()  # id of the status it answers
    quote = StringField()  # id of the status it quotes
    group = SeveralField()  # numbers of the groups it goes to
    visibility = SlugField(
        _l("Who can see it"),
        choices=[SelectChoice(one.slug, label) for one, label in VISIBILITY_LABELS.items()],
        default=Visibility.PUBLIC.slug,
    )
    reply_policy = SlugField(
        _l("Who can reply"),
        choices=[SelectChoice(one.slug, label) for one, label in REPLY_POLICY_LABELS.items()],
        default=ReplyPolicy.EVERYBODY.slug,
    )
    quote_policy = SlugField(
        _l("Who can quote it"),
        choices=quote_policies(),
        default=lambda: g.viewer.quote_policy.slug,
    )
    quote_preview: Status | None = None  # the quoted status, as the writer may see it
    posting_groups: Sequence[PostingGroup] = ()  # the groups it goes to
    group_choices: Sequence[PostingGroup] = ()  # the groups that it offers
    in_closed_group = False  # it answers a post of a closed group

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=data, **kwargs)
        parts = submitted_parts() if self.is_submitted() else draft_parts(data or {})
        self.more: list[ThreadPart] = parts
        if self.reply.data:
            self.text.label.text = _("Write a reply")
        elif self.quote.data:
            self.text.label.text = _("Add your thoughts")

    @property
    def posts(self) -> list[PartForm]:
        """Return the forms of all posts of the thread: this one first."""
        return [self, *self.more]

    def validate(self, extra_validators: Any = None) -> bool:
        """Validate all posts."""
        valid = super().validate(extra_validators)
        for part in self.more:
            valid = part.validate() and valid
        return valid

    @property
    def reasons(self) -> dict[str, Any]:
        """Return why the form was refused, for a script that shows it.

        `errors`: those of the whole form. `fields`: by the name of a field, those shown beside it.
        """
        own, answers = self.first_errors, {field.name for field in self.poll_form.options}
        beside = {name: error for name, error in own.items() if name in answers}
        for part in self.more:
            beside |= part.first_errors
        return {"errors": [own[name] for name in own if name not in answers], "fields": beside}

    @property
    def reply_to_id(self) -> int | None:
        """Return the id of the status it answers, if any."""
        return parse_id(str(self.reply.data or ""))

    @property
    def quoted_id(self) -> int | None:
        """Return the id of the status it quotes, if any."""
        return parse_id(str(self.quote.data or ""))

    @property
    def group_ids(self) -> list[int]:
        """Return the numbers of the groups it goes to."""
        return [gid for part in _distinct(self.group.data) if (gid := parse_id(part))]

    @property
    def chosen_visibility(self) -> Visibility | None:
        """Return the visibility of a valid form, None if none was chosen."""
        return parse_visibility(self.visibility.data) if self.visibility.raw_data else None

    def show_refusal(self, refusal: Refused) -> None:
        """Show why the store refused the form."""
        field = self.group if refusal.code in GROUP_REFUSALS else self.text
        field.errors = [str(refusal.sentence)]
        if refusal.code == "no_upload":  # the draft has changed meanwhile
            for part in self.posts:
                part.pictures.forget_stored()

    def show_bad_picture(self, error: BadPicture) -> None:
        """Show why a new picture cannot be read, beside the new pictures."""
        for part in self.posts:
            if part.pictures.uploads:
                part.pictures.errors = [str(error.sentence)]

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

    def validate_group(self, field: HiddenField) -> None:
        """Require some numbers of groups or none. The store checks who may post there."""
        if len(self.group_ids) < len(_distinct(field.data)):
            raise ValidationError(str(SENTENCES["no_group"]))
        if len(self.group_ids) > GROUPS_MAX:
            raise ValidationError(str(SENTENCES["many_groups"]))

    @property
    def can_have_more(self) -> bool:
        """Return True if there is room for another post of the thread."""
        return len(self.more) < PARTS_MAX

    def add_part(self) -> None:
        """Show an empty field for another post, if there is room."""
        if self.can_have_more:
            self.more.append(ThreadPart(len(self.more), len(self.more) + 2, {}))


def _distinct(values: object) -> list[str]:
    return list(dict.fromkeys(str(values or "").split()))
