"""Making and using passkeys, as WebAuthn defines it: options for browsers, checks of answers.

A passkey proves its owner alone, so devices must ask for a PIN, a finger or a face each time.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import webauthn
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from webapp.accounts.member import Member
from webapp.accounts.store import NO_UID
from webapp.config import Config
from webapp.core.errors import Invalid
from webapp.core.net.ip import parse_address
from webapp.core.store import parse_id

VERIFIED = UserVerificationRequirement.REQUIRED
ANSWER_MAX = 20_000  # characters of a browser's answer


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The site as passkeys know it. `id`: its host. `origin`: where its pages are."""

    id: str
    name: str
    origin: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A browser's answer before it is checked: JSON, and parts of it. `uid`: when it signs in."""

    text: str
    challenge: bytes
    id: str
    uid: int


def relying_party(config: Config, request_url: str) -> RelyingParty | None:
    """Return the site as its configured address says, or `localhost` where it is not configured.

    None where browsers make no passkeys: at addresses with a number, and without https.
    """
    parts = urlsplit(config.site_url or request_url)
    host = parts.hostname or ""
    is_public = config.site_url and parts.scheme == "https" and not parse_address(host)
    if host != "localhost" and not is_public:
        return None
    origin = f"{parts.scheme}://{parts.netloc.lower()}"
    return RelyingParty(host, config.site_name, origin)


def registration_options(
    party: RelyingParty, member: Member, challenge: bytes, ids: Sequence[str]
) -> str:
    """Return the options with which a browser makes a passkey, as JSON. `ids`: of existing ones."""
    selection = AuthenticatorSelectionCriteria(
        resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
    )
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=party.name,
        user_id=str(member.uid).encode(),
        user_name=member.login,
        user_display_name=member.name,
        challenge=challenge,
        authenticator_selection=selection,
        exclude_credentials=[PublicKeyCredentialDescriptor(base64url_to_bytes(id_)) for id_ in ids],
    )
    return webauthn.options_to_json(options)


def authentication_options(party: RelyingParty, challenge: bytes) -> str:
    """Return the options with which a browser uses any passkey of this site, as JSON."""
    options = webauthn.generate_authentication_options(
        rp_id=party.id, challenge=challenge, user_verification=VERIFIED
    )
    return webauthn.options_to_json(options)


def parse_answer(text: str) -> Answer:
    """Parse the answer of a browser that has made or used a passkey. Raises Invalid."""
    with _refusing():
        found = json.loads(text[:ANSWER_MAX])
        response = found["response"]
        client_data = json.loads(base64url_to_bytes(response["clientDataJSON"]))
        challenge = base64url_to_bytes(client_data["challenge"])
        user = base64url_to_bytes(response.get("userHandle") or "").decode()
        id_ = bytes_to_base64url(base64url_to_bytes(found["id"]))
        return Answer(json.dumps(found), challenge, id_, parse_id(user) or NO_UID)


def verify_registration(party: RelyingParty, answer: Answer) -> tuple[str, str, int]:
    """Return (id, public key, count) of a new passkey, the first two in base64url. Raises Invalid.

    The caller checks that its challenge was one of the site's.
    """
    with _refusing():
        found = webauthn.verify_registration_response(
            credential=answer.text,
            expected_challenge=answer.challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
    public_key = bytes_to_base64url(found.credential_public_key)
    return bytes_to_base64url(found.credential_id), public_key, found.sign_count


def verify_use(party: RelyingParty, answer: Answer, public_key: str) -> int:
    """Return the signatures that a passkey's device has counted. Raises Invalid.

    The caller checks the challenge, and that the count has risen.
    """
    with _refusing():
        found = webauthn.verify_authentication_response(
            credential=answer.text,
            expected_challenge=answer.challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=base64url_to_bytes(public_key),
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    return found.new_sign_count


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise Invalid for any error: the library has many kinds for the bytes of a stranger."""
    try:
        yield
    except Exception as error:
        raise Invalid("wrong_passkey") from error
