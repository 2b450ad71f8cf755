"""Refuse sign-ups, log-ins or all writing from networks that are kept out."""

import time

from flask import g, request
from flask_babel import lazy_gettext as _l

from webapp.accounts.sessions.cookies import is_write
from webapp.core.bans.networks import network_bans
from webapp.core.errors import Forbidden
from webapp.core.web import config, unwrap
from webapp.site_settings import LOGIN, SIGNUP, WRITE

SIGNUPS = {"accounts.signup", "client_own_account.sign_up"}
LOGIN_PATHS = ("/login", "/reset-password")
# What anybody may do: leave, read in another language, and ask moderators.
OPEN = {
    *("accounts.logout", "preferences.choose", "digest.unsubscribe"),
    *("standing.appeal", "standing.read_warning"),
}
SENTENCES = {
    SIGNUP: _l("This site does not take sign-ups from your network at the moment."),
    LOGIN: _l("This site does not take log-ins from your network at the moment."),
    WRITE: _l("This site accepts nothing from your network at the moment. You can still read."),
}
MISTAKE = _l("If that is a mistake, write to %(address)s.")
CONTACT = _l("If that is a mistake, the page “Contact” says whom to write to.")


def refuse_network() -> None:
    """Raise Forbidden for what the network of a request may not do. Moderators pass.

    Runs before every request. It takes no trip.
    """
    if config().bans.bans and (act := _act()):
        refuse(act)


def refuse(act: str) -> None:
    """Raise Forbidden if the network of a request may not do this. Moderators pass. No trip."""
    settings, viewer = config(), unwrap(g).get("viewer")
    if viewer and viewer.is_moderator:
        return
    address = unwrap(request).remote_addr or ""
    if network_bans(settings.bans).find(address, act, int(time.time() * 1000)):
        mail = settings.contact_email
        contact = MISTAKE % {"address": mail} if mail else CONTACT
        raise Forbidden("refused_network", f"{SENTENCES[act]} {contact}")


def _act() -> str | None:
    """Return the kind of a request: SIGNUP, LOGIN, WRITE, or None for one that anybody may make."""
    current = unwrap(request)
    if current.endpoint in SIGNUPS:
        return SIGNUP
    if current.path.startswith(LOGIN_PATHS):
        return LOGIN
    return WRITE if is_write() and current.endpoint not in OPEN else None
