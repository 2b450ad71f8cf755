"""OAuth 1.0a (RFC 5849): who has signed a request, with HMAC-SHA1, in its header, its query or its form."""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping, Sequence
from typing import Any

from oauthlib.oauth1 import RequestValidator, ResourceEndpoint

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Unauthorized

from . import apps
from .apps import AppCredentials

SIGNATURE_METHOD = "HMAC-SHA1"
FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
MAX_CLOCK_SKEW = 300  # seconds that a client's clock may be wrong, either way
# A timestamp that is SKEW ahead holds until two SKEWs have passed; a little more, for the store has a clock of its own.
NONCE_TTL = 2 * MAX_CLOCK_SKEW + 60
KEY_MAX, NONCE_MAX = 100, 200  # characters


def verify(
    db: Db,
    config: Config,
    method: str,
    urls: Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
) -> tuple[Member, str]:
    """The member whose app has signed a request, and the app's consumer key. `urls`: the addresses it may have been
    signed for; `headers`: names in lower case. Raises Unauthorized, which says what is wrong, and Unavailable.
    """
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    if body and content_type != FORM_CONTENT_TYPE:
        raise Unauthorized("oauth_body")  # no signature covers it
    validator = _Validator(db, config)
    signed_headers = {
        name: headers[name] for name in ("authorization", "content-type") if name in headers
    }
    signed_headers |= {"content-type": FORM_CONTENT_TYPE} if body else {}
    _check_signature(validator, method, urls, signed_headers, body)
    member = apps.authenticate(db, config, validator.consumer_key, validator.nonce, NONCE_TTL)
    if member is None:
        raise Unauthorized("oauth_signature")
    return member, validator.consumer_key


def _check_signature(
    validator: _Validator, method: str, urls: Sequence[str], headers: Mapping[str, str], body: bytes
) -> None:
    """Raises Unauthorized unless the signature is right for one of the addresses."""
    try:
        form_body = body.decode("ascii")  # a form's other characters are percent-encoded
        for url in urls:
            is_valid, request = ResourceEndpoint(validator).validate_protected_resource_request(
                url, method, form_body, headers
            )
            if is_valid:
                break
    except ValueError:
        raise Unauthorized("oauth_malformed") from None
    if request is None or request.decoded_body is None:  # which then is in no signature
        raise Unauthorized("oauth_malformed")
    if not is_valid:
        raise Unauthorized(
            validator.error_code if request.signature_method == SIGNATURE_METHOD else "oauth_method"
        )


class _Validator(RequestValidator):  # type: ignore[misc]
    """What oauthlib asks of us, for one request. `refusal`: why it stopped, as far as it came."""

    allowed_signature_methods = (SIGNATURE_METHOD,)
    timestamp_lifetime = 10**10  # seconds; the timestamp is looked at below, which can say so
    enforce_ssl = False  # a proxy may speak it for us
    dummy_client = dummy_access_token = "nobody"

    def __init__(self, db: Db, config: Config) -> None:
        super().__init__()
        self.consumer_key = self.nonce = ""
        self.error_code = "oauth_malformed"
        self._db, self._config = db, config
        self._credentials: AppCredentials | None = None
        self._loaded = False

    def check_client_key(self, client_key: str) -> bool:
        """Anything short: an unknown one gets the answer that a wrong signature gets."""
        return len(client_key) <= KEY_MAX

    def check_access_token(self, request_token: str) -> bool:
        """As above."""
        return len(request_token) <= KEY_MAX

    def check_nonce(self, nonce: str) -> bool:
        """Clients make them as they like."""
        return len(nonce) <= NONCE_MAX

    def validate_timestamp_and_nonce(
        self, client_key: str, timestamp: str, nonce: str, *_: Any, **__: Any
    ) -> bool:
        """The timestamp only: a nonce counts once the signature is known to be right, lest strangers use it up."""
        if abs(time.time() - int(timestamp)) > MAX_CLOCK_SKEW:
            self.error_code = "oauth_clock"
            return False
        self.error_code = "oauth_signature"
        self.consumer_key, self.nonce = client_key, f"{timestamp} {nonce}"
        return True

    def validate_client_key(self, client_key: str, request: Any) -> bool:
        """Whether there is such an app."""
        if not self._loaded:
            self._credentials, self._loaded = apps.load(self._db, self._config, client_key), True
        return self._credentials is not None

    def validate_access_token(self, client_key: str, token: str, request: Any) -> bool:
        """Whether the token is the app's."""
        return self._credentials is not None and hmac.compare_digest(
            self._credentials.token.encode(), token.encode()
        )

    def validate_realms(self, *_: Any, **__: Any) -> bool:
        """There are none."""
        return True

    def get_client_secret(self, client_key: str, request: Any) -> str:
        """The consumer's, or a decoy that takes as long."""
        return self._credentials.consumer_secret if self._credentials else "nobody"

    def get_access_token_secret(self, client_key: str, token: str, request: Any) -> str:
        """The token's, or a decoy."""
        return self._credentials.token_secret if self._credentials else "nobody"
