"""The settings of a member's home: whether it shows replies, and boosts."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, g, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import BooleanField

from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.forms.fields import Form
from webapp.core.store import Read, gather
from webapp.core.web import Requester, consume_for_viewer, db, done, no_store, prefetch, site
from webapp.core.web.redirects import ViewResponse, declare_act
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


Settings = tuple[HomeKinds, bool, bool]  # and if there is a feed, and a recent proof


def _settings(requester: Requester) -> Read[Settings]:
    uid = requester.uid or 0
    return gather(home_kinds(uid), private_feed.exists(uid), recent_proof(requester))


@bp.route("/settings/home", methods=["GET", "POST"])
@prefetch(_settings)
def edit(settings: Settings) -> ViewResponse:
    """Choose what the viewer's home hides."""
    kinds, has_feed, proved = settings
    if request.method != "POST":
        return _page(kinds, has_feed, ProofForm(formdata=None, proved=proved))
    consume_for_viewer("edit")
    form = HomeForm.of(kinds)
    hide_kinds(db(), g.viewer.uid, form.hides_replies.data, form.hides_boosts.data)
    return done(_("Home settings saved."), "timelines.home")


@bp.post("/settings/home/feed")
@prefetch(_settings)
def create_feed(settings: Settings) -> ViewResponse:
    """Make the address of the viewer's home as a feed. Only this response shows it."""
    kinds, has_feed, proved = settings
    form = ProofForm(proved=proved)
    make = partial(private_feed.create, site(), g.viewer.uid, current_device_note())
    if not form.carry_out(make, "token", "private_feed"):
        return _page(kinds, has_feed, form)
    address = url_for("feeds.home", key=form.outcome, _external=True)
    return _page(kinds, True, ProofForm(formdata=None, proved=True), address)


def _page(kinds: HomeKinds, has_feed: bool, proof: ProofForm, address: str = "") -> ViewResponse:
    """Show the settings. `proof`: the form of a new feed. `address`: of one that was made now."""
    form = HomeForm.of(kinds, formdata=None)
    return proof.render(TEMPLATE, home_form=form, has_feed=has_feed, address=address)
