"""Addresses of restricted pictures, signed for one session or access token and the hour.

Whatever shows a status signs; the view of pictures checks, without the store. The key comes from
the viewer's session cookie, so an address opens only in the browser whose page shows it. That of a
program comes from its access token, which it sends along. The addresses that the client API gives
open for whoever has them.
"""

import time
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest, digest

from flask import request

from webapp.config import Config
from webapp.core.net.encryption import accepted_keys
from webapp.core.web import config, own_session_cookie, unwrap

PARAMETER = "signature"
HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
DAYS_VALID = 2  # of an app's address: the day on which it was signed, and the next
HOURS_VALID = 2  # the hour in which an address was signed, and the next


@dataclass(frozen=True, slots=True)
class PictureSigner:
    """Signs pictures for one viewer and hour. It is part of the keys of cached fragments."""

    key: bytes

    def query(self, name: str) -> str:
        """Return the query of a picture's addresses, with its `?`."""
        return f"?{PARAMETER}={self.signature(name)}"

    def signature(self, name: str) -> str:
        """Return the signature of a picture's name: 22 characters, 132 bits."""
        return urlsafe_b64encode(digest(self.key, name.encode(), sha256))[:22].decode()


def signer_of(config: Config, credential: str, hours_ago: int = 0, key: str = "") -> PictureSigner:
    """Return the signer of a session cookie or an access token, now or so many hours ago.

    `key`: one that is accepted, "" for the one that signs.
    """
    hour = int(time.time()) // HOUR_SECONDS - hours_ago
    message = f"linnet picture {hour} {credential}".encode("utf-8", "replace")
    return PictureSigner(digest((key or config.secret_key).encode(), message, sha256))


def current_signer() -> PictureSigner:
    """Return the signer of this request's session."""
    return signer_of(config(), own_session_cookie())


def bearer_signer(config: Config, days_ago: int = 0, key: str = "") -> PictureSigner:
    """Return the signer of addresses that open for whoever has them, today or so many days ago.

    Apps load pictures without their token. `key`: as of `signer_of`.
    """
    day = int(time.time()) // DAY_SECONDS - days_ago
    message = f"linnet picture for apps {day}".encode()
    return PictureSigner(digest((key or config.secret_key).encode(), message, sha256))


def is_signed(name: str) -> bool:
    """Return True if this request has a signature of a picture that is still valid."""
    given = unwrap(request).args.get(PARAMETER, "").encode("utf-8", "replace")
    keys = accepted_keys(config())
    signers = [
        signer_of(config(), credential, hours_ago, key)
        for credential in _credentials()
        for hours_ago in range(HOURS_VALID)
        for key in keys
    ]
    signers += [
        bearer_signer(config(), days_ago, key) for days_ago in range(DAYS_VALID) for key in keys
    ]
    return any(compare_digest(given, signer.signature(name).encode()) for signer in signers)


def _credentials() -> list[str]:
    """Return the session cookie and the access token of this request, if it has them."""
    scheme, _, token = unwrap(request).headers.get("Authorization", "").partition(" ")
    cookie = own_session_cookie()
    given = (cookie, token.strip() if scheme.lower() == "bearer" else "")
    return [credential for credential in given if credential]
