"""The page on which a member has old posts deleted."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _, lazy_gettext as _l, ngettext
from wtforms import BooleanField, HiddenField, SelectField

from webapp.core.forms.fields import Form
from webapp.core.web import ViewResponse, consume_for_viewer, db, no_store, prefetch, site

from . import store
from .store import AGES, KINDS, Rule

bp = Blueprint("auto_delete", __name__)
bp.after_request(no_store)
TEMPLATE = "statuses/auto_delete/edit.html"


@bp.route("/settings/delete-posts", methods=["GET", "POST"])
@prefetch(lambda requester: store.rule_of(requester.uid or 0))
def edit(rule: Rule | None) -> ViewResponse:
    """Show the rule of the member, or change it. A new one is saved when it was sent twice."""
    form = AutoDeleteForm(rule)
    if not form.is_accepted():
        return form.render(TEMPLATE, rule=rule)
    chosen = form.rule
    if chosen and chosen != rule and form.confirmed.data != chosen.pack():
        form.confirmed.data = chosen.pack()
        count = db().read(store.count_old(g.viewer.uid, chosen))
        return render_template(TEMPLATE, form=form, rule=rule, asked=chosen, count=count)
    consume_for_viewer("edit")
    has_changed = store.save(site(), g.viewer.uid, chosen)
    if not chosen:
        flash(_("Old posts are kept."))
    else:
        flash(_("Saved. Deletion begins in an hour.") if has_changed else _("Settings saved."))
    return redirect(url_for("auto_delete.edit"), 303)


class AutoDeleteForm(Form):
    """The age at which posts are deleted, and which of them stay.

    `confirmed`: the packed rule that the member was asked about.
    """

    days = SelectField(_l("Delete my posts and replies"))
    pinned = BooleanField(_l("Keep posts pinned to my profile"))
    bookmarked = BooleanField(_l("Keep posts I’ve bookmarked"))
    liked = BooleanField(_l("Keep posts I’ve liked"))
    media = BooleanField(_l("Keep posts with pictures or polls"))
    confirmed = HiddenField()

    def __init__(self, rule: Rule | None) -> None:
        kept = rule.kept if rule else {"pinned"}
        values: dict[str, Any] = {kind: kind in kept for kind in KINDS}
        super().__init__(days=str(rule.days) if rule else "", **values)
        ages = [
            (str(days), ngettext("After %(num)d day", "After %(num)d days", days)) for days in AGES
        ]
        self.days.choices = [("", _("Never")), *ages]

    @property
    def rule(self) -> Rule | None:
        """Return the rule of a valid form, None to delete nothing."""
        kept = frozenset(kind for kind in KINDS if self[kind].data)
        return Rule(int(self.days.data), kept) if self.days.data else None
