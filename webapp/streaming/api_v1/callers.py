"""Who asks for a stream: a member by access token, OAuth 1.0a signature or session, or a visitor by an identifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from werkzeug.datastructures import EnvironHeaders
from werkzeug.http import parse_cookie

from webapp.accounts import lifecycle
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.accounts.store import NO_UID, Member
from webapp.accounts.tokens import apps, oauth
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.net.ip import forwarded_header, rate_limit_subject
from webapp.core.store.client import Db
from webapp.core.web import rate_limits
from webapp.errors import Invalid, Unauthorized
from webapp.streaming.pages.credentials import session_member
from webapp.streaming.pages.requests import Request

LoadMember = Callable[[], Member | None]
Kind = Literal["token", "oauth", "session", "anonymous"]
PATH_SAFE = "/!$&'()*+,:;=@~"  # what a path holds unencoded
IDENTIFIER_MAX = 100  # characters
OAUTH_SIGNATURE = "oauth_signature"  # a parameter that nothing else has


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """A request in plain values. `url`: whole, with its query as it came; `headers`: names in lower case; `address`:
    whom a rate limit counts.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""
    address: str = "unknown"

    @property
    def url_parts(self) -> SplitResult:
        """The parts of `url`. Raises Invalid when it has none: a Host header may hold anything."""
        try:
            url_parts = urlsplit(self.url)
            _ = url_parts.port
        except ValueError:
            raise Invalid("bad_address") from None
        return url_parts

    @property
    def form(self) -> bytes:
        """The body if it is a form, else nothing."""
        content_type = self.headers.get("content-type", "").split(";")[0].strip().lower()
        return self.body if content_type == oauth.FORM_CONTENT_TYPE else b""

    def parameter(self, name: str) -> str | None:
        """A parameter of the form or, without that, of the query."""
        for text in (self.form.decode("utf-8", "replace"), self.url_parts.query):
            value = dict(parse_qsl(text, keep_blank_values=True)).get(name)
            if value is not None:
                return value
        return None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `uid`: 0 for a visitor; `name`: stable for the same caller; `holder`: whose seats and limits count."""

    uid: int
    name: str
    kind: Kind
    rights: frozenset[str]
    holder: int | str
    _load_member: LoadMember = field(repr=False, compare=False)
    _load_rights: Callable[[int], frozenset[str]] = field(repr=False, compare=False)

    def recheck(self, required_rights: frozenset[str] = frozenset()) -> bool:
        """Whether what proved who this is still does, and they still have the rights in `needs`; a visitor is always
        one. For doubts, and now and then: two trips at most. Raises Unavailable.
        """
        if self.uid == NO_UID:
            return not required_rights
        member = self._load_member()
        if member is None or member.suspended or member.uid != self.uid:
            return False
        return not required_rights or required_rights <= self._load_rights(self.uid)


def request_from_wsgi(environ: Mapping[str, Any], body: bytes) -> StreamRequest:
    """The request of a WSGI environment, which has been told already what proxies saw. Flask's own `request.url` will
    not do: it has characters decoded that a client signs encoded.
    """
    headers = {name.lower(): value for name, value in EnvironHeaders(dict(environ))}
    path = quote(
        f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"),
        safe=PATH_SAFE,
    )
    query = environ.get("QUERY_STRING", "")
    url = f"{environ['wsgi.url_scheme']}://{headers.get('host', '')}{path}"
    address = rate_limit_subject(environ.get("REMOTE_ADDR") or "")
    return StreamRequest(
        environ["REQUEST_METHOD"], f"{url}?{query}" if query else url, headers, body, address
    )


def request_from_asgi(config: Config, scope: Mapping[str, Any], body: bytes) -> StreamRequest:
    """The request of an ASGI scope, as the trusted proxies in front saw it."""
    headers = Request(dict(scope)).headers
    proxied = partial(forwarded_header, headers, proxies=config.trusted_proxies)
    target = (scope.get("raw_path") or scope["path"].encode()).split(b"?")[0].decode("latin-1")
    query = scope.get("query_string", b"").decode("latin-1")
    url = f"{proxied('proto') or scope.get('scheme', 'http')}://{proxied('host') or headers.get('host', '')}{target}"
    peer = (scope.get("client") or ("",))[0]
    return StreamRequest(
        scope["method"],
        f"{url}?{query}" if query else url,
        headers,
        body,
        rate_limit_subject(proxied("for") or peer),
    )


def identify(
    db: Db, config: Config, request: StreamRequest, allow_anonymous: bool = False
) -> Caller:
    """Who asks. `sample`: a visitor will do, where ANONYMOUS_SAMPLE allows it. At most three trips. Raises Unauthorized
    for credentials that are none or not good, Invalid for an identifier or an address that is none, Unavailable.
    """
    scheme, _, rest = request.headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer":
        load: LoadMember = partial(tokens.authenticate, db, config, rest.strip())
        return _caller(db, "token", load(), load, "bad_token")
    if scheme.lower() == "oauth" or (not scheme and request.parameter(OAUTH_SIGNATURE) is not None):
        urls = signed_urls(config, request.url_parts)
        member, key = oauth.verify(db, config, request.method, urls, request.headers, request.body)
        return _caller(db, "oauth", member, partial(apps.find_owner, db, key))
    if scheme:
        raise Unauthorized("who_are_you")
    cookie = parse_cookie(request.headers.get("cookie", "")).get(COOKIE_NAME)
    if cookie and _is_same_origin(config, request):
        load = partial(session_member, db, config, cookie)
        if (owner := load()) is not None:
            return _caller(db, "session", owner, load)
    identifier = request.parameter("identifier")
    if not allow_anonymous or not config.anonymous_sample or identifier is None:
        raise Unauthorized("who_are_you")
    if not 1 <= len(identifier) <= IDENTIFIER_MAX:
        raise Invalid("bad_identifier")
    return Caller(
        NO_UID,
        identifier,
        "anonymous",
        frozenset(),
        request.address,
        lambda: None,
        lambda _: frozenset(),
    )


def consume_rate_limit(db: Db, config: Config, caller: Caller) -> None:
    """Counts a stream that is opened. Raises RateLimited, with the seconds to wait, when it is too soon."""
    rate_limits.consume(db, ("stream", str(caller.holder), config.limit_stream))


def signed_urls(config: Config, requested: SplitResult) -> list[str]:
    """The addresses for which a request to `called` may have been signed: below STREAM_URL and SITE_URL where they are
    set, and as it was called unless it was called by a name that is not theirs. For whoever a member signs for could
    pass the request on to us, and call us by their own name.
    """
    own_urls = [urlsplit(own_url) for own_url in (config.stream_url, config.site_url) if own_url]
    candidates = [
        requested._replace(scheme=own_url.scheme, netloc=own_url.netloc) for own_url in own_urls
    ]
    if not own_urls or requested.hostname in {own_url.hostname for own_url in own_urls}:
        candidates.append(requested)
    return list(dict.fromkeys(parts.geturl() for parts in candidates))


def _caller(
    db: Db, kind: Kind, member: Member | None, load: LoadMember, error_code: str = "who_are_you"
) -> Caller:
    if member is None:
        raise Unauthorized(error_code)
    load_rights = partial(_rights, db)
    return Caller(
        member.uid, str(member.uid), kind, load_rights(member.uid), member.uid, load, load_rights
    )


def _rights(db: Db, uid: int) -> frozenset[str]:
    return frozenset(lifecycle.rights(db, uid))


def _is_same_origin(config: Config, request: StreamRequest) -> bool:
    """Whether a page of this site asks, or no page at all: another site's must not read with a member's cookie."""
    origin_headers = {"host": request.url_parts.netloc} | {
        n: request.headers[n] for n in ("origin",) if n in request.headers
    }
    header_pairs = [
        (name.encode(), value.encode("latin-1", "replace"))
        for name, value in origin_headers.items()
    ]
    return Request({"method": request.method, "path": "", "headers": header_pairs}).is_same_origin(
        config
    )
