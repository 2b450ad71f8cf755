"""OAuth 1.0a (RFC 5849): find out who signed a request.

The signature is HMAC-SHA1, in the request's header, query or form.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping, Sequence
from typing import Any

from oauthlib.oauth1 import RequestValidator, ResourceEndpoint

from webapp.accounts.member import Member
from webapp.core.errors import Unauthorized
from webapp.core.store import Site

from . import apps
from .apps import AppCredentials

SIGNATURE_METHOD = "HMAC-SHA1"
FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
MAX_CLOCK_SKEW = 300  # seconds that a client's clock may be wrong, either way
# A timestamp that is MAX_CLOCK_SKEW ahead is accepted until two of these have passed. The margin
# is for the store's own clock.
NONCE_TTL = 2 * MAX_CLOCK_SKEW + 60
KEY_MAX, NONCE_MAX = 100, 200  # characters


def verify(
    site: Site, method: str, urls: Sequence[str], headers: Mapping[str, str], body: bytes
) -> tuple[Member, str]:
    """Return the member whose app signed a request, and the app's consumer key. Two trips.

    `urls` are the addresses the request may have been signed for; `headers` has names in lower
    case. Raises Unauthorized, which names the fault.
    """
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    if body and content_type != FORM_CONTENT_TYPE:
        raise Unauthorized("oauth_body")  # no signature covers it
    validator = _Validator(site)
    signed_headers = {
        name: headers[name] for name in ("authorization", "content-type") if name in headers
    }
    signed_headers |= {"content-type": FORM_CONTENT_TYPE} if body else {}
    _check_signature(validator, method, urls, signed_headers, body)
    member = apps.authenticate(site, validator.consumer_key, validator.nonce, NONCE_TTL)
    if member is None:
        raise Unauthorized("oauth_signature")
    return member, validator.consumer_key


def _check_signature(
    validator: _Validator, method: str, urls: Sequence[str], headers: Mapping[str, str], body: bytes
) -> None:
    """Raise Unauthorized unless the signature is valid for one of `urls`. One trip."""
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
    if request is None or request.decoded_body is None:  # so nothing signs it
        raise Unauthorized("oauth_malformed")
    if not is_valid:
        raise Unauthorized(
            validator.error_code if request.signature_method == SIGNATURE_METHOD else "oauth_method"
        )


class _Validator(RequestValidator):  # type: ignore[misc]
    """The callbacks that oauthlib needs, for one request. `error_code` says why it stopped."""

    allowed_signature_methods = (SIGNATURE_METHOD,)
    timestamp_lifetime = (
        10**10
    )  # seconds: validate_timestamp_and_nonce checks it, with a better error
    enforce_ssl = False  # a proxy may terminate TLS
    dummy_client = dummy_access_token = "nobody"

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.consumer_key = self.nonce = ""
        self.error_code = "oauth_malformed"
        self._site = site
        self._credentials: AppCredentials | None = None
        self._loaded = False

    def check_client_key(self, client_key: str) -> bool:
        """Return True for any short key: an unknown one gets the error of a wrong signature."""
        return len(client_key) <= KEY_MAX

    def check_access_token(self, request_token: str) -> bool:
        """Return True for any short token, as above."""
        return len(request_token) <= KEY_MAX

    def check_nonce(self, nonce: str) -> bool:
        """Return True for any short nonce: clients choose their form."""
        return len(nonce) <= NONCE_MAX

    def validate_timestamp_and_nonce(
        self, client_key: str, timestamp: str, nonce: str, *_: Any, **__: Any
    ) -> bool:
        """Check the timestamp.

        The nonce is used up after the signature has proved valid: strangers must not use it up.
        """
        if abs(time.time() - int(timestamp)) > MAX_CLOCK_SKEW:
            self.error_code = "oauth_clock"
            return False
        self.error_code = "oauth_signature"
        self.consumer_key, self.nonce = client_key, f"{timestamp} {nonce}"
        return True

    def validate_client_key(self, client_key: str, request: Any) -> bool:
        """Return True if there is such an app. One trip at most."""
        if not self._loaded:
            self._credentials, self._loaded = apps.load(self._site, client_key), True
        return self._credentials is not None

    def validate_access_token(self, client_key: str, token: str, request: Any) -> bool:
        """Return True if the token is the app's."""
        return self._credentials is not None and hmac.compare_digest(
            self._credentials.token.encode(), token.encode()
        )

    def validate_realms(self, *_: Any, **__: Any) -> bool:
        """Return True: there are no realms."""
        return True

    def get_client_secret(self, client_key: str, request: Any) -> str:
        """Return the consumer's secret, or a decoy that takes as long to check."""
        return self._credentials.consumer_secret if self._credentials else "nobody"

    def get_access_token_secret(self, client_key: str, token: str, request: Any) -> str:
        """Return the token's secret, or a decoy."""
        return self._credentials.token_secret if self._credentials else "nobody"
