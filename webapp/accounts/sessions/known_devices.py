"""Devices that have signed in to an account before, as a signed cookie says.

The cookie is `device.signature…`, a signature for each account, of the device with the account's
login. It names no account, and the store knows nothing of it. It opens nothing either: it only
keeps a stranger's wrong passwords from locking the owner out.
"""

import re
import secrets
from hashlib import sha256

from flask import request, url_for
from itsdangerous import Signer

from webapp.config import Config
from webapp.core.net.encryption import accepted_keys
from webapp.core.web import Response, config

DEVICE_COOKIE = "linnet_device"
DEVICE_PATTERN = re.compile(r"[0-9a-f]{32}")
ACCOUNTS_MAX = 5  # of one device, those that signed in last
COOKIE_SECONDS = 400 * 86_400  # as long as browsers keep a cookie


def known_device(config: Config, cookie: str, login: str) -> str:
    """Return the device of a cookie if it has signed in to this account, otherwise ""."""
    device, *signatures = cookie.split(".")[: ACCOUNTS_MAX + 1]
    value, signer = _signed_value(device, login), _signer(config)
    is_known = any(
        signer.verify_signature(value, signature.encode("utf-8", "replace"))
        for signature in signatures
    )
    return device if is_known else ""


def with_account(config: Config, cookie: str, login: str) -> str:
    """Return the cookie of a device that has signed in to this account too."""
    device, *signatures = cookie.split(".")
    if not DEVICE_PATTERN.fullmatch(device):
        device, signatures = secrets.token_hex(16), []
    own = _signer(config).get_signature(_signed_value(device, login)).decode()
    others = [signature for signature in signatures if signature != own]
    return ".".join((device, own, *others[: ACCOUNTS_MAX - 1]))


def request_device(login: str) -> str:
    """Return the device of this request if it has signed in to the account, otherwise ""."""
    return known_device(config(), request.cookies.get(DEVICE_COOKIE, ""), login)


def remember_device(response: Response, login: str) -> Response:
    """Let this device be known to an account it has just signed in to. Return the response."""
    response.set_cookie(
        DEVICE_COOKIE,
        with_account(config(), request.cookies.get(DEVICE_COOKIE, ""), login),
        max_age=COOKIE_SECONDS,
        path=url_for("accounts.login"),
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


def _signed_value(device: str, login: str) -> bytes:
    return f"{device} {login.lower()}".encode("utf-8", "replace")


def _signer(config: Config) -> Signer:
    return Signer(
        accepted_keys(config), b"linnet known device", key_derivation="hmac", digest_method=sha256
    )
