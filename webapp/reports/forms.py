"""The form of a report, and what its sender reads."""

from flask import flash
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import RadioField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form, cleaned, normalize_text

from .category import LABELS, Category, parse_category
from .store import REASON_MAX


class ReportForm(Form):
    """Why something is reported."""

    category = RadioField(
        _l("What’s wrong?"),
        choices=[SelectChoice(category.value, label) for category, label in LABELS.items()],
        validate_choice=False,
    )
    reason = TextAreaField(
        _l("Tell us more (optional)"),
        [cleaned(normalize_text, REASON_MAX)],
        render_kw={"rows": "3"},
    )

    @property
    def given(self) -> tuple[str, Category]:
        """Return the reason and the category of a valid form."""
        return self.reason.data, parse_category(self.category.data) or Category.OTHER

    def validate_category(self, field: RadioField) -> None:
        """Require one of the categories."""
        if parse_category(field.data) is None:
            raise ValidationError(_("Choose what’s wrong."))


def confirm(is_new: bool, in_group: bool = False) -> None:
    """Say on the next page whether a report is a new one. `in_group`: of a post in a group."""
    if is_new and in_group:
        flash(_("Thanks for your report. It will be looked at."))
    elif is_new:
        flash(_("Thanks for your report. The people who run this site will look at it."))
    else:
        flash(_("You already reported this."))
