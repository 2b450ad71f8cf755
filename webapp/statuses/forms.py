"""The form of a post."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
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
from ..forms import PICTURES_MAX, Chosen, Form, PicturesField
from ..ids import parse_id
from ..text import Parsed, Unacceptable, clean_line, parse
from .answerers import Answerers
from .answerers import of_word as repliers
from .pictures import FOCUSES
from .places import Place
from .poll_forms import PollForm
from .status import Status
from .visibility import Visibility, allowed, of_word

KEY = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
DEGREES = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{0,20})?\Z")
PLACE_MAX: Final = 100  # characters of a place's name
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
ONCE = {"autocomplete": "off"}  # where somebody is, is said each time anew: no browser fills it in


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
        self.text.description = _("%(num)d characters; a link counts 23.", num=self.max)

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it."""
        try:
            self.parsed = parse(field.data or "", self.max)
        except Unacceptable as error:
            raise ValidationError(self._sentence(error)) from None

    def validate_cw(self, field: StringField) -> None:
        """One line, or nothing. It has a limit of its own: to warn takes no words away from the text."""
        field.data = _line(field, config().cw_max)

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


class PostForm(PollForm, WordsForm):
    """A status to post. `key` is made with the form: the same one twice with the same text posts once. `reply`: the id
    of the status it answers; `quote`: of the one it quotes, and `card`: what is shown of that. `visibility`,
    `answerers`, `quoting`: words of what is called so. `pictures_max`: how many pictures it may have. Once valid,
    `where` is the place that its author gave, if any, and `poll` what it asks.
    """

    key = HiddenField()
    reply = HiddenField()
    quote = StringField()
    visibility = SelectField(_l("Who can see it"), default=Visibility.PUBLIC.word)
    answerers = SelectField(
        _l("Who can reply"),
        choices=[SelectChoice(one.word, label) for one, label in REPLIERS.items()],
        default=Answerers.EVERYBODY.word,
    )
    quoting = SelectField(_l("Who may quote it"), choices=quoting.choices(), default=lambda: g.viewer.quoting.word)
    lat = StringField(_l("Latitude"), render_kw={**ONCE, "inputmode": "text", "placeholder": "31.2304"})
    long = StringField(_l("Longitude"), render_kw={**ONCE, "inputmode": "text", "placeholder": "121.4737"})
    place = StringField(_l("Name of the place"), render_kw=ONCE)
    pictures = PicturesField(_l("Add pictures"))
    where: Place | None = None
    card: Status | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.visibility.choices = _audiences(AUDIENCES)
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
        form.visibility.choices = _audiences(allowed(status.visibility))
        return form

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

    def validate_lat(self, field: StringField) -> None:
        """Degrees, where there is anything of a place."""
        self._degrees(field, 90, _l("A latitude is a number of degrees from -90 to 90, such as 31.2304."))

    def validate_long(self, field: StringField) -> None:
        """Degrees, as above."""
        self._degrees(field, 180, _l("A longitude is a number of degrees from -180 to 180, such as 121.4737."))

    def validate_place(self, field: StringField) -> None:
        """One line; it need not show anything. Comes last: a place is made once all of it is right."""
        field.data = _line(field, PLACE_MAX)
        if self.lat.data and self.long.data and not (self.lat.errors or self.long.errors):
            self.where = Place(float(self.lat.data), float(self.long.data), field.data)

    def validate_pictures(self, field: PicturesField) -> None:
        """Not too many, not too much said of any, and a known part of each."""
        most = self.pictures_max
        if len(field.data) > most:
            raise ValidationError(
                ngettext("A post has at most %(num)d picture.", "A post has at most %(num)d pictures.", most)
            )
        if any(one.focus not in FOCUSES for one in field.data):
            raise ValidationError(field.gettext("Not a valid choice."))
        field.data = [Chosen(one.file, self._described(one.alt), one.focus) for one in field.data]

    def _described(self, alt: str) -> str:
        try:
            return clean_line(alt, self.alt_max)
        except Unacceptable as error:
            if error.reason == "too_long":
                most = self.alt_max
                sentence = _("That has %(length)d characters; at most %(most)d fit.", length=error.weight, most=most)
                raise ValidationError(sentence) from None
            return ""

    def _degrees(self, field: StringField, most: int, sentence: Any) -> None:
        if not any((part.data or "").strip() for part in (self.lat, self.long, self.place)):
            return
        given = field.data = (field.data or "").strip().replace(",", ".").replace("−", "-")
        if not given:
            raise ValidationError(_("A place takes both a latitude and a longitude. Or leave all of it empty."))
        if not DEGREES.match(given) or abs(float(given)) > most:
            raise ValidationError(str(sentence))


def _audiences(allowed: Iterable[Visibility]) -> list[SelectChoice]:
    return [SelectChoice(one.word, AUDIENCES[one]) for one in allowed]


class BlankForm(PostForm):
    """One with nothing in it, whatever was sent, and without a token: how it looks is kept (pieces.py)."""

    def __init__(self, writer: Member) -> None:
        super().__init__(meta={"csrf": False}, data={"quoting": writer.quoting.word})

    def is_submitted(self) -> bool:
        """Never, so that it reads nothing of the request."""
        return False


def _line(field: StringField, most: int) -> str:
    """What is left of a line that need not show anything."""
    try:
        return clean_line(field.data or "", most)
    except Unacceptable as error:
        sentence = _("That has %(length)d characters; at most %(most)d fit.", length=error.weight, most=most)
        raise ValidationError(sentence) from None
