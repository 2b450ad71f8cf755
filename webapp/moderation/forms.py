"""The forms of moderators and of members who appeal."""

from __future__ import annotations

from collections.abc import Collection

from flask import request
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, TextAreaField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form, needed, normalize_text

from .acting import TEXT_MAX
from .acts import ACTS

SELECTED_MAX = 50  # reports that are answered together
TAKE = "take"


class ActForm(Form):
    """An act and its reason. `allowed`: the names of acts that its page offers."""

    act = HiddenField()
    why = TextAreaField(
        _l("Reason"),
        description=_l("The member reads it only if you act against them. It is also in the log."),
        render_kw={"rows": "3"},
    )

    def __init__(self, allowed: Collection[str], **options: object) -> None:
        self.allowed = allowed
        super().__init__(**options)

    def validate_act(self, field: HiddenField) -> None:
        """Require one of the buttons."""
        if field.data not in self.allowed:
            raise ValidationError(_("Choose what to do."))

    def validate_why(self, field: TextAreaField) -> None:
        """Normalize the reason. Members and notes need one."""
        field.data = normalize_text(field.data, TEXT_MAX)
        act = ACTS.get(self.act.data or "")
        if act and not field.data and (act.told or act.name == "note"):
            raise ValidationError(_("Write a reason."))


class ReportsForm(ActForm):
    """An act on the reported posts or members of some reports.

    A page may have two: the field of that `about_drafts` has an id of its own.
    """

    def __init__(
        self, allowed: Collection[str], about_drafts: bool = False, **options: object
    ) -> None:
        super().__init__(allowed, **options)
        if about_drafts:
            _rename(self.why, "why-drafts")

    @property
    def chosen(self) -> list[str]:
        """Return the ids of the chosen reports."""
        return list(dict.fromkeys(request.form.getlist("report")))[:SELECTED_MAX]

    def validate_act(self, field: HiddenField) -> None:
        """Require one of the buttons, and a report."""
        super().validate_act(field)
        if not self.chosen:
            raise ValidationError(_("Choose at least one report."))


class AppealForm(Form):
    """Why a member thinks that a decision is wrong."""

    text = TextAreaField(
        _l("Why is this decision wrong?"),
        needed(normalize_text, TEXT_MAX, _l("Say why the decision is wrong.")),
        description=_l("You can appeal once. A moderator reads it."),
        render_kw={"rows": "4"},
    )

    @classmethod
    def of_act(cls, number: int) -> AppealForm:
        """Return an empty form. A page has several, so their fields have ids of their own."""
        form = cls(formdata=None)
        _rename(form.text, f"text-{number}")
        return form


def _rename(field: TextAreaField, field_id: str) -> None:
    """Give a field and its label another id."""
    field.id = field.label.field_id = field_id
