"""Encryption at rest, with the site's SECRET_KEY, of secrets that the site must read again.

Fernet (AES-128-CBC with HMAC-SHA256), with a key for each purpose (HKDF, RFC 5869). So a sealed
secret opens for one purpose only, and writing to the store cannot put one in another's place. Code
that opens a secret or checks a signature asks `accepted_keys`: a change of SECRET_KEY ends nothing
while SECRET_KEY_PREVIOUS names the old one.
"""

import base64
from contextlib import suppress
from dataclasses import replace

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from webapp.config import BadSetting, Config

SALT = b"linnet secrets box"  # keeps these keys apart from other uses of SECRET_KEY


def seal(config: Config, purpose: str, secret: str) -> str:
    """Return `secret` as ASCII text that only this site can open, for this purpose."""
    return _fernet(config.secret_key, purpose).encrypt(secret.encode()).decode("ascii")


def unseal(config: Config, purpose: str, sealed: str) -> str | None:
    """Return a sealed secret. None if the purpose was another, or the key is not accepted."""
    for key in reversed(accepted_keys(config) or [""]):
        with suppress(InvalidToken):
            return _fernet(key, purpose).decrypt(sealed.encode()).decode()
    return None


def needs_previous(config: Config, purpose: str, sealed: str) -> bool:
    """Return True if only SECRET_KEY_PREVIOUS opens a sealed secret."""
    if not config.secret_key_previous:
        return False
    present = replace(config, secret_key_previous="")
    return unseal(present, purpose, sealed) is None and unseal(config, purpose, sealed) is not None


def _fernet(secret_key: str, purpose: str) -> Fernet:
    if not secret_key:
        raise BadSetting("SECRET_KEY is not set, and secrets cannot be kept without it.")
    derivation = HKDF(algorithm=SHA256(), length=32, salt=SALT, info=purpose.encode())
    key = derivation.derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(key))


def accepted_keys(config: Config) -> list[str]:
    """Return the keys that are accepted, the present one last, as itsdangerous takes them."""
    return [key for key in (config.secret_key_previous, config.secret_key) if key]
