"""A browser with a push service on loopback: it checks the sender and decrypts what arrives.

It follows RFC 8188, 8291 and 8292, and the drafts of these that apps use, with the primitives
alone, not with the library that encrypts.
"""

import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.webhook_receiver import ReceivedRequest, Receiver
from webapp.core.net.web_push import Subscription

RECORD_MAX = 4_096  # bytes that every push service must take


def decode(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(raw: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def raw_point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as an uncompressed point."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


@dataclass
class Browser:
    """A browser that has subscribed with a site's key."""

    site_key: str
    service: Receiver
    name: str = "device"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    secret: bytes = b"0123456789abcdef"

    @property
    def subscription(self) -> Subscription:
        """What the browser gives the site."""
        point = raw_point(self.key.public_key())
        return Subscription(f"{self.service.url}/{self.name}", encode(point), encode(self.secret))

    @property
    def form(self) -> dict[str, str]:
        """The same as the fields of a form."""
        found = self.subscription
        return {"endpoint": found.endpoint, "p256dh": found.p256dh, "auth": found.auth}

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The requests for this browser, whatever the service answered."""
        return [one for one in self.service.requests if one.path == f"/{self.name}"]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of all requests, each from a sender that was checked."""
        return [self.read(request) for request in self.requests]

    @property
    def app_messages(self) -> list[dict[str, Any]]:
        """The messages of all requests as an app reads them, each from a checked sender."""
        return [self.read_as_app(request) for request in self.requests]

    def read_as_app(self, request: ReceivedRequest) -> dict[str, Any]:
        """Check and decrypt a request in the encoding that it names."""
        headers = request.headers
        assert "topic" not in headers, "no message replaces another"
        if headers["content-encoding"] == "aes128gcm":
            check_sender(headers["authorization"], self.site_key, self.service.url)
            return dict(orjson.loads(self.decrypt(request.body)))
        assert headers["content-encoding"] == "aesgcm"
        scheme, token = headers["authorization"].split(" ")
        keys = dict(part.split("=", 1) for part in headers["crypto-key"].split(";"))
        assert scheme == "WebPush" and keys["p256ecdsa"] == self.site_key
        check_token(token, self.site_key, self.service.url)
        salt = decode(headers["encryption"].removeprefix("salt="))
        return dict(orjson.loads(self.decrypt_draft(request.body, salt, decode(keys["dh"]))))

    def decrypt_draft(self, body: bytes, salt: bytes, sender: bytes) -> bytes:
        """Return the content of one record of aesgcm (draft 04 of RFC 8291)."""
        sender_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), sender_key)
        material = derive(shared, self.secret, b"Content-Encoding: auth\0", 32)
        points = (raw_point(self.key.public_key()), sender)
        context = b"P-256\0" + b"".join(len(one).to_bytes(2) + one for one in points)
        content_key = derive(material, salt, b"Content-Encoding: aesgcm\0" + context, 16)
        nonce = derive(material, salt, b"Content-Encoding: nonce\0" + context, 12)
        padded = AESGCM(content_key).decrypt(nonce, body, None)
        return padded[2 + int.from_bytes(padded[:2]) :]

    def read(self, request: ReceivedRequest) -> dict[str, Any]:
        """Check a request as a push service does, and decrypt it as a browser does."""
        check_sender(request.headers["authorization"], self.site_key, self.service.url)
        assert request.headers["content-encoding"] == "aes128gcm"
        assert int(request.headers["ttl"]) > 0
        assert request.headers["urgency"] in ("very-low", "low", "normal", "high")
        topic = request.headers["topic"]
        assert 0 < len(topic) <= 32 and topic.replace("-", "").replace("_", "").isalnum()
        assert len(request.body) <= RECORD_MAX
        message: dict[str, Any] = orjson.loads(self.decrypt(request.body))
        return message

    def decrypt(self, body: bytes) -> bytes:
        """Return the content of one record of aes128gcm that was encrypted for this browser."""
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= size, "one record"
        sender_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), sender_key)
        info = b"WebPush: info\0" + raw_point(self.key.public_key()) + sender
        material = derive(shared, self.secret, info, 32)
        content_key = derive(material, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(material, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(content_key).decrypt(nonce, record, None).rstrip(b"\0")
        assert padded[-1:] == b"\x02", "the last record"
        return padded[:-1]


def derive(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """Return a key of HKDF-SHA256."""
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(material)


def check_sender(header: str, site_key: str, audience: str) -> None:
    """Check a VAPID header: the key, the signature, the audience, the expiry and the contact."""
    scheme, _, rest = header.partition(" ")
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert scheme == "vapid" and fields["k"] == site_key
    check_token(fields["t"], site_key, audience)


def check_token(token: str, site_key: str, audience: str) -> None:
    """Check the token of a VAPID header."""
    signed, _, signature = token.rpartition(".")
    head, claims = (orjson.loads(decode(part)) for part in signed.split("."))
    assert head["alg"] == "ES256"
    raw = decode(signature)
    r, s = int.from_bytes(raw[:32]), int.from_bytes(raw[32:])
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(site_key))
    key.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
    assert claims["aud"] == audience
    assert time.time() < claims["exp"] <= time.time() + 86_400
    assert claims["sub"].startswith(("mailto:", "https://"))
