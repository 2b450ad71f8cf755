"""One-time codes and links in mails: their purposes, lives and limits."""

import hmac
import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256

from webapp.config import Config
from webapp.core.errors import Invalid
from webapp.core.i18n.preferences import language
from webapp.core.store import Site, script
from webapp.mail.queue import mail_arguments

REQUEST = script("accounts/email/lua/request_secret.lua")
USE = script("accounts/email/lua/use_secret.lua")


@dataclass(frozen=True, slots=True)
class Purpose:
    """A kind of secret: purpose, lifetime, how often it may be guessed, and who refuses it."""

    name: str
    life_seconds: int
    tries: int
    refusal: str  # code of a sentence


VERIFY = Purpose("verify", 86_400, 5, "bad_code")
LOGIN = Purpose("login", 300, 5, "bad_code")
# Nobody guesses a link, and a stranger must not end it by trying.
RESET = Purpose("reset", 3_600, 1_000_000, "bad_reset_link")


def make_code() -> str:
    """Return six random digits."""
    return f"{secrets.randbelow(1_000_000):06}"


def clean_code(text: str) -> str:
    """Return a code as it was made: without spaces, and with ASCII digits."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def request(
    site: Site,
    uid: int,
    purpose: Purpose,
    secret: str,
    *,
    new_address: str = "",
    typed_address: str = "",
) -> bool:
    """Keep a secret and queue the mail that tells it. Return whether a mail is sent. One trip.

    It goes to `new_address` to verify that, or to the member's verified address; `typed_address`:
    only if it is this one.
    """
    shown = {"token": f"{uid}.{secret}"} if purpose is RESET else {"code": secret}
    values = {**shown, "language": language().code}
    reply = site.run(
        REQUEST,
        uid=uid,
        purpose=purpose.name,
        hmac=_hmac(site.config, purpose, uid, secret),
        life=purpose.life_seconds * 1000,
        tries=purpose.tries,
        new_address=new_address,
        typed_address=typed_address,
        **mail_arguments(site.config, purpose.name, values),
    )
    return bool(reply)


def use(site: Site, uid: int, purpose: Purpose, secret: str) -> str:
    """Use up a secret. Return the address that it verifies, "" for none. One trip.

    Raises Invalid for a wrong one, an old one, a used one, and one that was tried too often.
    """
    is_right, pending = site.run(
        USE, uid=uid, purpose=purpose.name, hmac=_hmac(site.config, purpose, uid, secret)
    )
    if not is_right:
        raise Invalid(purpose.refusal)
    return str(pending)


def _hmac(config: Config, purpose: Purpose, uid: int, secret: str) -> str:
    value = f"{purpose.name}:{uid}:{secret}".encode("utf-8", "replace")
    return hmac.new(config.secret_key.encode(), value, sha256).hexdigest()
