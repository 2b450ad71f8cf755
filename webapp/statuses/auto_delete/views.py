"""The page on which a member has old posts deleted."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.store.reads import Read
from webapp.core.web.context import db, site
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.security import no_store

from . import store
from .forms import AutoDeleteForm
from .store import Rule

bp = Blueprint("auto_delete", __name__)
bp.after_request(no_store)
TEMPLATE = "statuses/auto_delete/edit.html"


def _rule(requester: Requester) -> Read[Rule | None]:
    return store.rule_of(requester.uid or 0)


@bp.route("/settings/delete-posts", methods=["GET", "POST"])
@prefetch(_rule)
def edit(rule: Rule | None) -> str | Response | tuple[str, int]:
    """Show the rule of the member, or change it. A new one is saved when it was sent twice."""
    form = AutoDeleteForm(rule)
    if request.method != "POST":
        return render_template(TEMPLATE, form=form, rule=rule)
    if not form.validate_on_submit():
        return render_template(TEMPLATE, form=form, rule=rule), 422
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
