"""The owner of a site: whether there are members yet, and the code that makes one the owner."""

import base64
import hmac

from webapp.config import Config
from webapp.core.store import Db

from . import keys

FIRST_UIDS = 100  # a site with more of them had members, whatever became of these
CODE_BYTES = 15


def is_fresh(db: Db) -> bool:
    """Return True if nobody has an account. Sign-ups that failed have used uids. Two trips."""
    last_uid = int(db.run(("GET", keys.last_uid())) or 0)
    if not last_uid or last_uid > FIRST_UIDS:
        return not last_uid
    return not any(db.trip_all(("EXISTS", keys.user(uid)) for uid in range(1, last_uid + 1)))


def setup_code(config: Config) -> str:
    """Return the code that makes its holder the owner of a site without members.

    It follows from the secret key, so that all processes know it and none stores it.
    """
    digest = hmac.digest(config.secret_key.encode(), b"owner of a new site", "sha256")
    return base64.b32encode(digest[:CODE_BYTES]).decode().lower()


def is_setup_code(config: Config, text: str) -> bool:
    """Return True if a text is the code."""
    return hmac.compare_digest(text.strip().lower().encode(), setup_code(config).encode())
