"""An app's request to a member: the scopes that it asks for, and the address of the answer."""

import re
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from flask_babel import gettext as _

from webapp.client_api import scopes
from webapp.core.errors import Refused
from webapp.core.store import Db

from . import apps
from .apps import OAuthApp

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"  # the member is shown the code, and types it
CLIENT_ID = re.compile(r"[0-9a-f]{32}\Z")
CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}\Z")
REDIRECT = re.compile(r"[a-z][a-z0-9+.-]*:[!-~]+\Z", re.IGNORECASE)
HOST = re.compile(r"[a-z0-9.:\[\]-]+\Z", re.IGNORECASE)  # it becomes a part of a page's policy
DANGEROUS = ("javascript", "data", "vbscript", "file", "about", "blob")
REDIRECT_MAX = 2_000  # characters
STATE_MAX = 1_000


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """A valid request of an app. `challenge`: of its verifier, "" without one."""

    app: OAuthApp
    redirect: str
    scopes: tuple[str, ...]
    state: str
    challenge: str

    @property
    def is_out_of_band(self) -> bool:
        """Return True if the member is shown the code."""
        return self.redirect == OUT_OF_BAND

    @property
    def redirect_source(self) -> str:
        """Return the source that the page's policy must allow: an origin, or a scheme."""
        parts = urlsplit(self.redirect)
        is_web = parts.scheme in ("http", "https")
        return f"{parts.scheme}://{parts.netloc}" if is_web else f"{parts.scheme}:"

    def location(self, **answer: str) -> str:
        """Return the address that leads back to the app with an answer."""
        given = {name: value for name, value in {**answer, "state": self.state}.items() if value}
        joint = "&" if urlsplit(self.redirect).query else "?"
        return f"{self.redirect}{joint}{urlencode(given)}"


def consent_request(db: Db, sent: dict[str, str]) -> ConsentRequest:
    """Return the request in some parameters. One trip.

    Raises Refused: without a valid app and address nothing may lead back to it (RFC 6749, 4.1.2.1).
    """
    client_id, redirect = sent.get("client_id", ""), sent.get("redirect_uri", "")
    app = db.read(apps.find(client_id)) if CLIENT_ID.match(client_id) else None
    if app is None or redirect not in app.redirects:
        sentence = _("The app that sent you here isn’t known. Start again from it.")
        raise Refused("oauth_app", sentence)
    wanted = scopes.parse(sent.get("scope", ""))
    challenge = sent.get("code_challenge", "")
    is_valid = (
        sent.get("response_type") == "code"
        and wanted is not None
        and scopes.are_within(wanted, app.scopes)
        and len(sent.get("state", "")) <= STATE_MAX
        and (not challenge or bool(CHALLENGE.match(challenge)))
        and sent.get("code_challenge_method", "S256") == "S256"
    )
    if not is_valid or wanted is None:
        raise Refused("oauth_request", _("The app asked for something that can’t be given."))
    return ConsentRequest(app, redirect, wanted, sent.get("state", ""), challenge)


def is_redirect(address: str) -> bool:
    """Return True for an address that an app may register to be answered at."""
    if address == OUT_OF_BAND:
        return True
    try:
        parts = urlsplit(address)
    except ValueError:  # such as a bracket that is not closed
        return False
    if parts.scheme in ("http", "https") and not HOST.match(parts.netloc):
        return False
    is_address = len(address) <= REDIRECT_MAX and bool(REDIRECT.match(address))
    return is_address and "#" not in address and parts.scheme not in DANGEROUS
