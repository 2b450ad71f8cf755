"""The settings of a member's home: whether it shows replies, and boosts."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response
from wtforms import BooleanField

from webapp.core.forms.fields import Form
from webapp.core.store.reads import Read
from webapp.core.web.context import db
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.security import no_store

from .kinds import HomeKinds, hide_kinds, home_kinds

bp = Blueprint("home_settings", __name__)
bp.after_request(no_store)


class HomeForm(Form):
    """The kinds of posts that the viewer's home hides."""

    hides_replies = BooleanField(
        _l("Hide replies"),
        description=_l("Replies to you and your own replies still show up."),
    )
    hides_boosts = BooleanField(
        _l("Hide boosts"),
        description=_l("You only see posts by people and with hashtags you follow."),
    )


def _kinds(requester: Requester) -> Read[HomeKinds]:
    return home_kinds(requester.uid or 0)


@bp.route("/settings/home", methods=["GET", "POST"])
@prefetch(_kinds)
def edit(kinds: HomeKinds) -> str | Response:
    """Choose what the viewer's home hides."""
    form = HomeForm(hides_replies=kinds.hides_replies, hides_boosts=kinds.hides_boosts)
    if request.method != "POST":
        return render_template("timelines/home_settings.html", form=form)
    consume_for_viewer("edit")
    hide_kinds(db(), g.viewer.uid, form.hides_replies.data, form.hides_boosts.data)
    flash(_("Home settings saved."))
    return redirect(url_for("timelines.home"), 303)
