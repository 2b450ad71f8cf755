"""The settings of a member's home: whether it shows replies, and boosts."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField

from webapp.core.forms.fields import Form
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, db, done, no_store, prefetch
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.core.web.redirects import declare_act
from webapp.timelines import private_feed

from .kinds import HomeKinds, hide_kinds, home_kinds

bp = Blueprint("home_settings", __name__)
bp.after_request(no_store)
END_FEED, ENDED = "/settings/home/feed/end", _l("The private feed has ended.")
declare_act(bp, END_FEED, private_feed.end, "home_settings.edit", takes=db, said=ENDED)
TEMPLATE = "timelines/home_settings.html"


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

    @classmethod
    def of(cls, kinds: HomeKinds, **options: Any) -> HomeForm:
        """Return the form that shows what a home hides."""
        values = {"hides_replies": kinds.hides_replies, "hides_boosts": kinds.hides_boosts}
        return cls(data=values, **options)


Settings = tuple[HomeKinds, bool]


def _settings(requester: Requester) -> Read[Settings]:
    return gather(home_kinds(requester.uid or 0), private_feed.exists(requester.uid or 0))


@bp.route("/settings/home", methods=["GET", "POST"])
@prefetch(_settings)
def edit(settings: Settings) -> str | Response:
    """Choose what the viewer's home hides."""
    kinds, has_feed = settings
    form = HomeForm.of(kinds)
    if request.method != "POST":
        return render_template(TEMPLATE, form=form, has_feed=has_feed)
    consume_for_viewer("edit")
    hide_kinds(db(), g.viewer.uid, form.hides_replies.data, form.hides_boosts.data)
    return done(_("Home settings saved."), "timelines.home")


@bp.post("/settings/home/feed")
@rate_limited("token", "private_feed")
@prefetch(_settings)
def create_feed(settings: Settings) -> str:
    """Make the address of the viewer's home as a feed. Only this response shows it."""
    form = HomeForm.of(settings[0], formdata=None)
    key = private_feed.create(db(), g.viewer.uid)
    address = url_for("feeds.home", key=key, _external=True)
    return render_template(TEMPLATE, form=form, has_feed=True, address=address)
