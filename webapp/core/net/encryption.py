"""Encryption at rest, with the site's SECRET_KEY, of secrets that the site must read again.

Fernet (AES-128-CBC with HMAC-SHA256), with a key of its own for each purpose (HKDF, RFC 5869). So
a secret sealed for one purpose opens for no other, and nobody who can write to the store can put
one secret in another's place.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from webapp.config import BadSetting, Config

SALT = b"linnet secrets box"  # keeps these keys apart from other uses of SECRET_KEY


def seal(config: Config, purpose: str, secret: str) -> str:
    """Return `secret` as ASCII text that only this site can open, for this purpose."""
    return _fernet(config, purpose).encrypt(secret.encode()).decode("ascii")


def unseal(config: Config, purpose: str, sealed: str) -> str | None:
    """Return a sealed secret. None if the purpose or the SECRET_KEY was another."""
    try:
        return _fernet(config, purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _fernet(config: Config, purpose: str) -> Fernet:
    if not config.secret_key:
        raise BadSetting("SECRET_KEY is not set, and secrets cannot be kept without it.")
    derivation = HKDF(algorithm=SHA256(), length=32, salt=SALT, info=purpose.encode())
    key = derivation.derive(config.secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(key))
