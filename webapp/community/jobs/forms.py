"""The forms of jobs: an offer, and a member's own skills."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import (
    BooleanField,
    FieldList,
    FormField,
    SelectField,
    StringField,
    SubmitField,
    TextAreaField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import NumberRange, Optional, ValidationError

from webapp.core.forms.fields import Form, cleaned, normalize_line, normalize_name, normalize_text
from webapp.core.forms.number_field import NumberField

from .skills import NAME_MAX, YEARS_MAX, Skill, distinct, fold_name
from .store import Candidate, Offer

TITLE_MAX, TEXT_MAX, PLACE_MAX = 100, 3_000, 60  # characters
OFFER_SKILLS_MAX, MEMBER_SKILLS_MAX = 15, 20
ROWS_MIN, ROWS_FREE = 4, 2
ROW_NUMBER = re.compile(r"-([0-9]{1,4})-")  # in the names of a row's fields
LEVEL_NAMES = {1: _l("Beginner"), 2: _l("Intermediate"), 3: _l("Expert")}


class Rows(FieldList):  # type: ignore[misc]
    """Rows of a form. Those without a plain number are ignored: WTForms takes any digits."""

    def _extract_indices(self, prefix: str, formdata: Iterable[str]) -> Iterator[int]:
        for name in formdata:
            if name.startswith(prefix) and (row := ROW_NUMBER.match(name, len(prefix))):
                yield int(row[1])


class SkillForm(Form):
    """A row of a form: one skill, or nothing."""

    name = StringField(_l("Skill"), render_kw={"autocomplete": "off", "list": "skill-names"})
    level = SelectField(
        _l("Level"),
        choices=[SelectChoice(str(level), name) for level, name in LEVEL_NAMES.items()],
        default="1",
    )
    years = NumberField(
        _l("Years"), [Optional(), NumberRange(0, YEARS_MAX)], render_kw={"min": 0, "max": YEARS_MAX}
    )

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        field.data = normalize_line(field.data, NAME_MAX)
        if field.data and not fold_name(field.data):
            raise ValidationError(_("A skill needs letters or digits."))


class SkillsForm(Form):
    """Rows of skills. `more` asks for further rows."""

    rows_max = MEMBER_SKILLS_MAX
    skills = Rows(FormField(SkillForm), max_entries=MEMBER_SKILLS_MAX)
    more = SubmitField(_l("More rows"))

    def __init__(self, skills: Iterable[Skill] = (), **values: Any) -> None:
        rows = [{"name": one.name, "level": str(one.level), "years": one.years} for one in skills]
        super().__init__(skills=rows, **values)
        wanted = max(ROWS_MIN, len(rows) + ROWS_FREE)
        if self.more.data:
            wanted = len(self.skills) + ROWS_FREE
        while len(self.skills) < min(wanted, self.rows_max):
            self.skills.append_entry()

    def is_accepted(self) -> bool:
        """Return True if the form was sent, is valid, and does not ask for further rows."""
        return not self.more.data and super().is_accepted()

    def chosen_skills(self) -> tuple[Skill, ...]:
        """Return the skills of a valid form, each once."""
        rows = (row.form for row in self.skills if row.form.name.data)
        return distinct(
            Skill(row.name.data, int(row.level.data), row.years.data or 0) for row in rows
        )


class OwnSkillsForm(SkillsForm):
    """A member's skills, and whether authors of offers see them."""

    shown = BooleanField(
        _l("Show me to members whose offers fit"),
        description=_l(
            "They see your name and these skills. No one sees them otherwise. When a new offer "
            "fits, you get a notification, at most one a day."
        ),
    )

    def candidate(self) -> Candidate:
        """Return the skills of a valid form."""
        return Candidate(self.chosen_skills(), bool(self.shown.data))


class OfferForm(SkillsForm):
    """A job offer."""

    rows_max = OFFER_SKILLS_MAX
    title = StringField(
        _l("Title"),
        [cleaned(normalize_name, TITLE_MAX, _l("Give the offer a title."))],
        render_kw={"autocomplete": "off", "maxlength": TITLE_MAX},
    )
    text = TextAreaField(
        _l("Description"),
        [cleaned(normalize_text, TEXT_MAX, _l("Say what the job is about."))],
        render_kw={"rows": 8, "maxlength": TEXT_MAX},
    )
    place = StringField(_l("Place"), render_kw={"maxlength": PLACE_MAX})
    remote = BooleanField(_l("Can be done remotely"))

    def validate_place(self, field: StringField) -> None:
        """Clean the place. Raises ValidationError."""
        field.data = normalize_line(field.data, PLACE_MAX)
        if not field.data and not self.remote.data:
            raise ValidationError(_("Say where the job is, or that it can be done remotely."))

    def validate_skills(self, field: FieldList) -> None:
        """Require a skill. Raises ValidationError."""
        if not any(row.form.name.data for row in field):
            raise ValidationError(_("Name at least one skill."))

    def offer(self) -> Offer:
        """Return the offer of a valid form."""
        return Offer(
            self.title.data,
            self.text.data,
            self.place.data,
            bool(self.remote.data),
            self.chosen_skills()[:OFFER_SKILLS_MAX],
        )
