"""The pages of what the site refuses. Moderators read them, admins change them."""

import time
from functools import partial

from flask import Blueprint, g, request
from flask_babel import gettext as _

from webapp.accounts.factors.requirement import require_moderator
from webapp.core.errors import Conflict
from webapp.core.web import Page, config, cursor, db, done, live_settings, no_store, rate_limited
from webapp.core.web.redirects import ViewResponse
from webapp.moderation.acts import ADMIN
from webapp.site_settings import NETWORK, Ban

from . import store
from .forms import BanForm, NetworkForm, TermForm
from .gate import refuse_network
from .labels import KINDS, NETWORK_ACTIONS, TEXT_ACTIONS

bp = Blueprint("bans", __name__, url_prefix="/moderation")
bp.before_request(require_moderator)
bp.after_request(no_store)
bp.before_app_request(refuse_network)
FORMS: dict[str, type[BanForm]] = {"terms": TermForm, "networks": NetworkForm}


@bp.get("/<any(terms, networks):banned>")
def index(banned: str) -> ViewResponse:
    """Show words and domains, or networks, that the site refuses, the newest first."""
    return _page(banned, FORMS[banned](formdata=None))


@bp.post("/<any(terms, networks):banned>")
@rate_limited("edit")
def add(banned: str) -> ViewResponse:
    """Add a word, domain or network, or replace it."""
    form = FORMS[banned]()
    save = partial(store.save, db(), live_settings(), g.viewer)
    if form.carry_out(lambda: save(form.to_ban(), form.version.data or "")):
        said = _("Saved. Every process uses it within a second.")
        return done(said, "bans.index", banned=banned)
    return _page(banned, form)


@bp.post("/<any(terms, networks):banned>/remove")
@rate_limited("edit")
def remove(banned: str) -> ViewResponse:
    """Remove a word, domain or network."""
    name = request.form.get("name", "")
    ban = next((one for one in _listed(banned) if one.name == name), None)
    try:
        if ban is None:
            raise Conflict("settings_moved")
        store.remove(db(), live_settings(), g.viewer, ban, request.form.get("version", ""))
    except Conflict as refusal:
        return _page(banned, FORMS[banned](formdata=None).refuse(refusal))
    return done(_("Removed. It takes effect within a second."), "bans.index", banned=banned)


def _listed(banned: str) -> list[Ban]:
    """Return the bans of a page that have not ended."""
    now_ms = int(time.time() * 1000)
    bans = (ban for ban in config().bans.bans if (ban.kind == NETWORK) == (banned == "networks"))
    return [ban for ban in bans if ban.holds_at(now_ms)]


def _page(banned: str, form: BanForm) -> ViewResponse:
    """Return the page with the form as it was left, and what others have changed meanwhile."""
    g.pop("config", None)
    form.version.data = live_settings().version
    bans, start, size = _listed(banned), cursor() or 0, config().page_size
    items, end = tuple(bans[start : start + size]), start + size
    return form.render(
        "moderation/bans.html",
        banned=banned,
        page=Page(items, end if end < len(bans) else None),
        may_change=ADMIN in g.viewer.rights,
        kinds=KINDS,
        actions=TEXT_ACTIONS | NETWORK_ACTIONS,
    )
