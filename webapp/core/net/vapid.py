"""The site's key of voluntary application server identification (VAPID, RFC 8292).

Push services learn from it which site sends. It is derived from SECRET_KEY, so all processes of a
site have the same one without storing it.
"""

import time
from base64 import urlsafe_b64encode
from functools import lru_cache
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    derive_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from webapp.config import BadSetting, Config

SALT = b"linnet web push"  # keeps this key apart from other uses of SECRET_KEY
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SEED_BYTES = 48  # 128 bits more than the order: no number is likelier than another (FIPS 186-5)
TOKEN_SECONDS = 12 * 3_600  # RFC 8292 allows 24 hours at most


def public_key(config: Config) -> str:
    """Return the public key as browsers take it: an uncompressed point in base64url."""
    point = _private_key(config).public_key()
    raw = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def authorization(config: Config, endpoint: str, site_url: str) -> str:
    """Return the Authorization header of a request to a push service.

    `site_url` is the public address of the pages, where the service finds whom to write to.
    """
    from py_vapid import Vapid02  # only workers need it

    # Its strict check refuses addresses with a path.
    signer = Vapid02(_private_key(config), {"no-strict": True})
    return str(signer.sign(_claims(endpoint, site_url))["Authorization"])


def draft_headers(config: Config, endpoint: str, site_url: str, dh: str) -> dict[str, str]:
    """Return the headers of a request as draft 01 had them: Authorization and Crypto-Key.

    `dh`: the public key of the message's encryption, in base64url.
    """
    from py_vapid import Vapid01

    signer = Vapid01(_private_key(config), {"no-strict": True})
    return dict(signer.sign(_claims(endpoint, site_url), f"dh={dh}"))


def _claims(endpoint: str, site_url: str) -> dict[str, str | int]:
    parts, site_parts = urlsplit(endpoint), urlsplit(site_url)
    is_secure = site_parts.scheme == "https"
    contact = f"{site_url}/contact" if is_secure else f"mailto:postmaster@{site_parts.hostname}"
    return {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + TOKEN_SECONDS,
        "sub": contact,
    }


def _private_key(config: Config) -> EllipticCurvePrivateKey:
    if not config.secret_key:
        raise BadSetting("SECRET_KEY is not set, and the key of web push comes from it.")
    return _derive(config.secret_key)


@lru_cache(4)
def _derive(secret: str) -> EllipticCurvePrivateKey:
    seed = HKDF(algorithm=SHA256(), length=SEED_BYTES, salt=SALT, info=b"vapid").derive(
        secret.encode()
    )
    return derive_private_key(int.from_bytes(seed) % (P256_ORDER - 1) + 1, SECP256R1())
