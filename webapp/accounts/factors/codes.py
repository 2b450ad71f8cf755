"""Codes of authenticator apps (TOTP, RFC 6238), and recovery codes."""

import base64
import hashlib
import secrets
import time
import unicodedata
from collections.abc import Collection, Sequence
from hmac import compare_digest

import pyotp
import segno
from markupsafe import Markup

STEP_SECONDS = 30  # how long an app shows a code
DRIFT = 1  # steps that the clock of an app may be wrong, either way
RECOVERY_CODES = 10
HASH_ROUNDS = 50_000  # of recovery codes, which have 80 random bits


def new_secret() -> str:
    """Return a new secret for an authenticator app: 32 characters of base 32."""
    return pyotp.random_base32()


def qr_code(secret: str, login: str, site_name: str) -> Markup:
    """Return the picture that an authenticator app scans, as SVG. The app shows both names."""
    address = pyotp.TOTP(secret).provisioning_uri(name=login, issuer_name=site_name)
    picture = segno.make(address, error="m", micro=False)
    return Markup(picture.svg_inline(scale=5, dark="#000", light="#fff", svgclass="qr"))


def matching_step(secret: str, code: str, now: float | None = None) -> int | None:
    """Return the step (of 30 s since 1970) whose code this is, None if the code is not current."""
    totp, present = pyotp.TOTP(secret), int(now or time.time()) // STEP_SECONDS
    for step in range(present - DRIFT, present + DRIFT + 1):
        if compare_digest(totp.at(step * STEP_SECONDS).encode(), code.encode()):
            return step
    return None


def clean_code(text: str) -> str:
    """Return a code as it was typed, without spaces and hyphens, in lower case, of any width."""
    normalized = unicodedata.normalize("NFKC", text[:100]).lower()
    return "".join(sign for sign in normalized if sign.isascii() and sign.isalnum())


def new_recovery_codes() -> list[str]:
    """Return ten recovery codes, such as `abcd-efgh-ijkl-mnop`, of 80 random bits each."""
    texts = [base64.b32encode(secrets.token_bytes(10)).decode() for _ in range(RECOVERY_CODES)]
    return ["-".join(text[at : at + 4] for at in range(0, 16, 4)).lower() for text in texts]


def hash_codes(uid: int, codes: Sequence[str]) -> list[str]:
    """Return a member's recovery codes as they are stored: `salt.hash`, with one salt for all."""
    salt = secrets.token_hex(16)
    return [f"{salt}.{_slow_hash(salt, uid, code)}" for code in codes]


def stored_as(uid: int, stored: Collection[str], code: str) -> str:
    """Return the stored recovery code that a code matches, "" for none.

    The work is the same for a member without codes. Codes of earlier versions have no salt.
    """
    salt = next((one.partition(".")[0] for one in stored if "." in one), "")
    unsalted = hashlib.sha256(f"recovery {uid} {clean_code(code)}".encode()).hexdigest()
    found = {f"{salt}.{_slow_hash(salt, uid, code)}", unsalted}.intersection(stored)
    return next(iter(found), "")


def _slow_hash(salt: str, uid: int, code: str) -> str:
    text = f"recovery {uid} {clean_code(code)}".encode()
    return hashlib.pbkdf2_hmac("sha256", text, salt.encode(), HASH_ROUNDS).hex()
