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

from ..accounts import quoting
from ..accounts.store import Member
from ..app import config
from ..errors import SENTENCES
from ..forms import PICTURES_MAX, Chosen, Form, PicturesField, line
from ..ids import parse_id
from ..text import Parsed, Unacceptable, parse
from .answerers import Answerers
from .answerers import of_word as repliers
from .pictures import FOCUSES
from .place_forms import PlaceForm
from .places import Place
from .poll_forms import PollForm
from .polls import Poll
from .status import Status
from .visibility import Visibility, allowed, of_word

KEY = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
GREETED_MAX: Final = 10  # names that a reply begins with
AUDIENCES = {
    Visibility.PUBLIC: _l("Everybody"),
    Visibility.UNLISTED: _l("Everybody, but not on public pages"),
    Visibility.FOLLOWERS: _l("My followers"),
    Visibility.MENTIONED: _l("Only those I mention"),
}
REPLIERS = {
    Answerers.EVERYBODY: _l("Everybody"),
    Answerers.FOLLOWED: _l("Those I follow"),
    Answerers.MENTIONED: _l("Only those I mention"),
}


def new_key() -> str:
    """A form's key."""
    return secrets.token_urlsafe(12)


class WordsForm(Form):
    """The words of a status. Once valid, `parsed` is its text."""

    text = TextAreaField(_l("What is happening?"))
    cw = StringField(_l("Warning"), render_kw={"autocomplete": "off"})
    parsed: Parsed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max = config().status_max
        self.text.description = _l("%(num)d characters; a link counts 23.", num=self.max)

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it."""
        try:
            self.parsed = parse(field.data or "", self.max)
        except Unacceptable as error:
            raise ValidationError(self._sentence(error)) from None

    def validate_cw(self, field: StringField) -> None:
        """One line, or nothing. It has a limit of its own: to warn takes no words away from the text."""
        field.data = line(field.data, config().cw_max)

    def _sentence(self, error: Unacceptable) -> str:
        if error.reason == "empty":
            return str(_l("Write something first."))
        if error.reason == "forbidden":
            return str(_l("The text holds characters that cannot be posted."))
        over = (error.weight or self.max + 1) - self.max
        return str(ngettext("That is %(num)d character too long.", "That is %(num)d characters too long.", over))


class EditForm(WordsForm):
    """Other words for a status. `version` is the one that they were written on."""

    version = HiddenField()


class QuotingForm(Form):
    """Who may quote a status from now on."""

    quoting = SelectField(_l("Who may quote it"), choices=quoting.choices(), id="quoting-now")  # beside a composer's


class PostForm(WordsForm):
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
        choices=[SelectChoice(one.word, label) for one, label in AUDIENCES.items()],
        default=Visibility.PUBLIC.word,
    )
    answerers = SelectField(
        _l("Who can reply"),
        choices=[SelectChoice(one.word, label) for one, label in REPLIERS.items()],
        default=Answerers.EVERYBODY.word,
    )
    quoting = SelectField(_l("Who may quote it"), choices=quoting.choices(), default=lambda: g.viewer.quoting.word)
    pictures = PicturesField(_l("Add pictures"))
    poll: Poll | None = None
    where: Place | None = None
    card: Status | None = None

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=data, **kwargs)
        self._given = data
        self.pictures_max, self.alt_max = min(config().status_pictures_max, PICTURES_MAX), config().alt_max
        if not KEY.match(self.key.data or ""):
            self.key.data = new_key()
        if self.reply.data:
            self.text.label.text = _("Write a reply")

    @classmethod
    def to_answer(cls, status: Status, login: str) -> PostForm:
        """The form of a reply to a status: those whom it is to reach stand in it, but for who writes it."""
        names = [status.author.login, *(entity.text for entity in status.entities if entity.kind == "mention")]
        others = {name.lower(): name for name in reversed(names) if name.lower() != login.lower()}
        order = dict.fromkeys(name.lower() for name in names if name.lower() in others)
        greeting = "".join(f"@{name} " for name in [others[one] for one in order][:GREETED_MAX])
        word = status.visibility.word
        form = cls(formdata=None, data={"text": greeting, "reply": status.id, "visibility": word})
        form.visibility.choices = [SelectChoice(one.word, AUDIENCES[one]) for one in allowed(status.visibility)]
        return form

    @cached_property
    def asking(self) -> PollForm:
        """The part that asks a poll."""
        return PollForm(self, data=self._given)

    @cached_property
    def placing(self) -> PlaceForm:
        """The part that says where it was written."""
        return PlaceForm(self, data=self._given)

    def validate(self, extra_validators: Any = None) -> bool:
        """All of it, but a part only where something is filled in."""
        right = bool(super().validate(extra_validators))
        if PollForm.filled():
            right, self.poll = self.asking.validate() and right, self.asking.poll
        if PlaceForm.filled():
            right, self.where = self.placing.validate() and right, self.placing.where
        return right

    @property
    def answered(self) -> int | None:
        """The id of the status that it answers, if any."""
        return parse_id(str(self.reply.data or ""))

    @property
    def quoted(self) -> int | None:
        """The id of the status that it quotes, if any."""
        return parse_id(str(self.quote.data or ""))

    @property
    def audience(self) -> Visibility | None:
        """How visible it is to be, if that was said. Once valid."""
        return of_word(self.visibility.data) if self.visibility.raw_data else None

    @property
    def repliers(self) -> Answerers:
        """Who may reply. Once valid."""
        return repliers(self.answerers.data)

    def validate_reply(self, field: HiddenField) -> None:
        """A status's id, where there is anything. It is the store that knows whether it may be answered."""
        if field.data and not self.answered:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_quote(self, field: StringField) -> None:
        """The same of the one that it quotes."""
        if field.data and not self.quoted:
            raise ValidationError(str(SENTENCES["no_status"]))

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it. Nothing where there are pictures."""
        try:
            self.parsed = parse(field.data or "", self.max)
        except Unacceptable as error:
            if error.reason == "empty" and self.pictures.data:
                self.parsed = Parsed("", 0, ())
                return
            raise ValidationError(self._sentence(error)) from None

    def validate_pictures(self, field: PicturesField) -> None:
        """Not too many, not too much said of any, and a known part of each."""
        most = self.pictures_max
        if len(field.data) > most:
            raise ValidationError(
                ngettext("A post has at most %(num)d picture.", "A post has at most %(num)d pictures.", most)
            )
        if any(one.focus not in FOCUSES for one in field.data):
            raise ValidationError(field.gettext("Not a valid choice."))
        field.data = [Chosen(one.file, line(one.alt, self.alt_max), one.focus) for one in field.data]


class BlankForm(PostForm):
    """One with nothing in it, whatever was sent: how it looks is kept (pieces.py)."""

    def __init__(self, writer: Member) -> None:
        super().__init__(data={"quoting": writer.quoting.word})

    def is_submitted(self) -> bool:
        """Never, so that it reads nothing of the request."""
        return False
