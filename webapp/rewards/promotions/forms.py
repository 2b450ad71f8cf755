"""The form that promotes a post."""

from typing import Any, NamedTuple

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import (
    BooleanField,
    HiddenField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange, ValidationError

from webapp.core.forms.fields import Form, needed, normalize_text
from webapp.core.forms.number_field import NumberField
from webapp.core.i18n.preferences import LANGUAGES
from webapp.core.search.stems import is_stop_word, token_of
from webapp.core.text.folding import TOKEN, fold
from webapp.moderation.acting import TEXT_MAX
from webapp.statuses.promoted.promoted_post import hashtag_of

from .store import Terms

WORDS_MAX, WORD_MAX = 10, 30  # of one promotion; characters of one
BUDGET_MIN, BUDGET_MAX = 10, 1_000_000  # points
DAYS_MAX = 30


class Kind(NamedTuple):
    """An event that a promotion can pay for."""

    label: Any
    price_max: int  # points


KINDS = {
    "clicks": Kind(_l("Each time someone opens it"), 100),
    "views": Kind(_l("1,000 views"), 1_000),
    "actions": Kind(_l("Each like or new follower it brings"), 500),
}


class PromotionForm(Form):
    """The subject of a promotion, the event that it pays for, and its budget."""

    words = StringField(
        _l("Words and hashtags"),
        description=_l(
            "Up to 10, such as: coffee #espresso. Searches and hashtag pages about a word that "
            "works well show your post more often. Leave it empty if you have no preference."
        ),
        render_kw={"autocomplete": "off", "maxlength": 400},
    )
    language = SelectField(_l("Who sees it"), choices=lambda: _readers())
    kind = RadioField(
        _l("What you pay for"),
        choices=[SelectChoice(name, kind.label) for name, kind in KINDS.items()],
        default="clicks",
    )
    price = NumberField(
        _l("Highest price, in points"),
        [InputRequired(_l("Say how much you pay at most."))],
        default=5,
        description=_l("You often pay less: only as much as it takes to be ahead of the next one."),
        render_kw={"min": 1, "max": max(kind.price_max for kind in KINDS.values())},
    )
    budget = NumberField(
        _l("Budget, in points"),
        [
            InputRequired(_l("Say how many points to spend at most.")),
            NumberRange(BUDGET_MIN, BUDGET_MAX),
        ],
        default=100,
        description=_l("It is set aside now. What is left at the end comes back to you."),
        render_kw={"min": BUDGET_MIN, "max": BUDGET_MAX},
    )
    days = NumberField(
        _l("Days"),
        [InputRequired(_l("Say how many days it runs.")), NumberRange(1, DAYS_MAX)],
        default=7,
        render_kw={"min": 1, "max": DAYS_MAX},
    )

    def validate_words(self, field: StringField) -> None:
        """Fold the words. Raises ValidationError for one that cannot be used, and for too many."""
        parts = (field.data or "").replace(",", " ").replace("，", " ").split()
        words = dict.fromkeys(_folded(part) for part in parts)
        if len(words) > WORDS_MAX:
            raise ValidationError(_("Choose at most %(num)d words.", num=WORDS_MAX))
        field.folded = tuple(words)

    def validate_price(self, field: NumberField) -> None:
        """Raise ValidationError for a price that what is paid for cannot have."""
        kind = KINDS.get(self.kind.data)
        if field.data is not None and kind and not 1 <= field.data <= kind.price_max:
            raise ValidationError(
                _("The price is 1 to %(num)d points for this.", num=kind.price_max)
            )

    def terms(self) -> Terms:
        """Return the terms of a valid form."""
        return Terms(
            self.words.folded,
            self.language.data,
            self.kind.data,
            self.price.data,
            self.budget.data,
            self.days.data,
        )


class RefusalForm(Form):
    """Why moderators refuse a promotion. `version`: of the post that they looked at."""

    version = HiddenField()
    why = TextAreaField(
        _l("Reason"),
        needed(normalize_text, TEXT_MAX, _l("Write a reason.")),
        description=_l("The member reads it. Moderators find it in the log."),
        render_kw={"rows": "3"},
    )


class SeeingForm(Form):
    """Whether a member sees promoted posts."""

    none = BooleanField(
        _l("Show me no promoted posts"),
        description=_l("They are posts that a member pays points to show, and are always marked."),
    )


def _readers() -> list[SelectChoice]:
    names = ((one.code, one.name) for one in LANGUAGES.values())
    readers = (
        SelectChoice(code, _("People who read in %(language)s", language=name))
        for code, name in names
    )
    return [SelectChoice("", _("Everyone")), *readers]


def _folded(part: str) -> str:
    """Return a word or hashtag as it is compared. Raises ValidationError."""
    if name := hashtag_of(part):
        return f"#{name}"
    word = fold(part)
    too_common = any(is_stop_word(token_of(word, code)[0], code) for code in LANGUAGES)
    if TOKEN.fullmatch(word) is None or len(word) > WORD_MAX or too_common:
        raise ValidationError(_("“%(word)s” can’t be used. Try another word.", word=part))
    return word
