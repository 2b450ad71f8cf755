"""Messages to browsers through their push services (RFC 8030), encrypted for each (RFC 8291)."""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import astuple, dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import cast

import orjson
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from webapp.config import Config

from . import safe_http, vapid
from .addresses import is_public

KEY_BYTES, SECRET_BYTES = 65, 16
KEY_TEXT_MAX = 100  # characters; more is no key
TOPIC_BYTES = 24  # 32 characters of base64url, as many as a topic may have


class BadSubscription(ValueError):
    """A subscription that nothing can be sent to."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A browser's address at its push service, and the keys that only the browser can read with.

    Both keys are base64url. An app's has its `token` too. Without `is_standard` it is sent what
    drafts of the standards said (aesgcm).
    """

    endpoint: str
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    token: str = field(default="", repr=False)
    is_standard: bool = True

    def dump(self) -> str:
        """Return the subscription as JSON."""
        return orjson.dumps(list(astuple(self))).decode()

    @classmethod
    def load(cls, text: str) -> Subscription:
        """Return the subscription of its JSON."""
        return cls(*orjson.loads(text))


@dataclass(frozen=True, slots=True)
class PushMessage:
    """A message: its JSON, how long a service keeps it (s), and its urgency.

    A message replaces an undelivered one with the same `topic`, "" for none. `seen_us`: the
    notification that a device has had with it (unix µs), 0 if there may be more.
    """

    payload: bytes
    ttl: int
    urgency: str
    topic: str
    seen_us: int = 0


def check(subscription: Subscription, allow_private: bool) -> None:
    """Raise BadSubscription unless requests may go to a subscription, and its keys are keys.

    A push service is reached with https at the usual port of a public host, unless private
    addresses are allowed. Where a name leads is checked when something is sent.
    """
    parts = safe_http.parse_url(subscription.endpoint)
    is_usual = parts and parts.scheme == "https" and parts.port in (None, 443)
    if not parts or not (allow_private or (is_usual and _may_be_public(parts.hostname or ""))):
        raise BadSubscription("endpoint")
    key, secret = _decode(subscription.p256dh), _decode(subscription.auth)
    if len(key) != KEY_BYTES or len(secret) != SECRET_BYTES:
        raise BadSubscription("keys")
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), key)
    except ValueError:  # no point of the curve
        raise BadSubscription("keys") from None


def _may_be_public(host: str) -> bool:
    """Return False for an address that is not public, and for a name without a dot."""
    try:
        ip_address(host)
    except ValueError:
        return "." in host
    return is_public(host)


def send(
    config: Config, subscription: Subscription, message: PushMessage, site_url: str, timeout: float
) -> safe_http.Response:
    """Encrypt a message and hand it to the push service. Raises RequestFailed."""
    key, salt = generate_private_key(SECP256R1()), os.urandom(SECRET_BYTES)
    encoding = "aes128gcm" if subscription.is_standard else "aesgcm"
    body = _encrypt(subscription, message.payload, key, salt, encoding)
    headers = {
        "Content-Encoding": encoding,
        "Content-Type": "application/octet-stream",
        "TTL": str(message.ttl),
        "Urgency": message.urgency,
    }
    if message.topic:
        headers["Topic"] = _topic(message.topic)
    if subscription.is_standard:
        headers["Authorization"] = vapid.authorization(config, subscription.endpoint, site_url)
    else:
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        headers["Encryption"] = f"salt={_encode(salt)}"
        headers |= vapid.draft_headers(config, subscription.endpoint, site_url, _encode(point))
    allow_private = config.web_push == "private"
    return safe_http.post(subscription.endpoint, body, headers, allow_private, timeout)


def _encrypt(
    subscription: Subscription,
    payload: bytes,
    key: EllipticCurvePrivateKey,
    salt: bytes,
    encoding: str,
) -> bytes:
    """Return the payload in one record of aes128gcm (RFC 8188), or of aesgcm (its draft 04)."""
    # pywebpush's own encoder. pywebpush itself would import two HTTP clients, 14 MB of a process.
    import http_ece

    encrypted = http_ece.encrypt(
        payload,
        salt=salt,
        private_key=key,
        dh=_decode(subscription.p256dh),
        auth_secret=_decode(subscription.auth),
        version=encoding,
    )
    return cast(bytes, encrypted)


def _encode(raw: bytes) -> str:
    """Return bytes as base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _topic(name: str) -> str:
    return urlsafe_b64encode(sha256(name.encode()).digest()[:TOPIC_BYTES]).decode()


def _decode(text: str) -> bytes:
    """Return the bytes of base64url, with or without padding; b"" if it is not that."""
    try:
        if len(text) > KEY_TEXT_MAX:
            return b""
        return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except ValueError:  # also for text outside ASCII
        return b""
