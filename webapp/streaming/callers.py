"""Who asks for a stream: a member by access token, OAuth 1.0a signature or session, or a visitor by an identifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from werkzeug.datastructures import EnvironHeaders
from werkzeug.http import parse_cookie

from .. import limits
from ..accounts import apps, oauth, sessions, standing, tokens
from ..accounts.store import NOBODY, Member
from ..addresses import forwarded, network
from ..config import Config
from ..db import Db
from ..errors import Invalid, Unauthorized
from .requests import Request
from .viewers import of_session

Load = Callable[[], Member | None]
Kind = Literal["token", "oauth", "session", "anonymous"]
PATH_SAFE = "/!$&'()*+,:;=@~"  # what a path holds unencoded
IDENTIFIER_MAX = 100  # characters
OAUTH_SIGN = "oauth_signature"  # a parameter that nothing else has


@dataclass(frozen=True, slots=True)
class Asked:
    """A request in plain values. `url`: whole, with its query as it came; `headers`: names in lower case; `address`:
    whom a rate limit counts.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""
    address: str = "unknown"

    @property
    def parts(self) -> SplitResult:
        """The parts of `url`. Raises Invalid when it has none: a Host header may hold anything."""
        try:
            parts = urlsplit(self.url)
            _ = parts.port
        except ValueError:
            raise Invalid("bad_address") from None
        return parts

    @property
    def form(self) -> bytes:
        """The body if it is a form, else nothing."""
        kind = self.headers.get("content-type", "").split(";")[0].strip().lower()
        return self.body if kind == oauth.FORM else b""

    def given(self, name: str) -> str | None:
        """A parameter of the form or, without that, of the query."""
        for text in (self.form.decode("utf-8", "replace"), self.parts.query):
            found = dict(parse_qsl(text, keep_blank_values=True)).get(name)
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `uid`: 0 for a visitor; `name`: stable for the same caller; `holder`: whose seats and limits count."""

    uid: int
    name: str
    kind: Kind
    rights: frozenset[str]
    holder: int | str
    _load: Load = field(repr=False, compare=False)
    _rights: Callable[[int], frozenset[str]] = field(repr=False, compare=False)

    def recheck(self, needs: frozenset[str] = frozenset()) -> bool:
        """Whether what proved who this is still does, and they still have the rights in `needs`; a visitor is always
        one. For doubts, and now and then: two trips at most. Raises Unavailable.
        """
        if self.uid == NOBODY:
            return not needs
        member = self._load()
        if member is None or member.suspended or member.uid != self.uid:
            return False
        return not needs or needs <= self._rights(self.uid)


def asked_of_wsgi(environ: Mapping[str, Any], body: bytes) -> Asked:
    """The request of a WSGI environment, which has been told already what proxies saw. Flask's own `request.url` will
    not do: it has characters decoded that a client signs encoded.
    """
    headers = {name.lower(): value for name, value in EnvironHeaders(dict(environ))}
    path = quote(f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"), safe=PATH_SAFE)
    query = environ.get("QUERY_STRING", "")
    url = f"{environ['wsgi.url_scheme']}://{headers.get('host', '')}{path}"
    address = network(environ.get("REMOTE_ADDR") or "")
    return Asked(environ["REQUEST_METHOD"], f"{url}?{query}" if query else url, headers, body, address)


def asked_of_asgi(config: Config, scope: Mapping[str, Any], body: bytes) -> Asked:
    """The request of an ASGI scope, as the trusted proxies in front saw it."""
    headers = Request(dict(scope)).headers
    said = partial(forwarded, headers, proxies=config.trusted_proxies)
    target = (scope.get("raw_path") or scope["path"].encode()).split(b"?")[0].decode("latin-1")
    query = scope.get("query_string", b"").decode("latin-1")
    url = f"{said('proto') or scope.get('scheme', 'http')}://{said('host') or headers.get('host', '')}{target}"
    peer = (scope.get("client") or ("",))[0]
    return Asked(scope["method"], f"{url}?{query}" if query else url, headers, body, network(said("for") or peer))


def identify(db: Db, config: Config, asked: Asked, sample: bool = False) -> Caller:
    """Who asks. `sample`: a visitor will do, where ANONYMOUS_SAMPLE allows it. At most three trips. Raises Unauthorized
    for credentials that are none or not good, Invalid for an identifier or an address that is none, Unavailable.
    """
    scheme, _, rest = asked.headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer":
        load: Load = partial(tokens.load, db, config, rest.strip())
        return _caller(db, "token", load(), load, "bad_token")
    if scheme.lower() == "oauth" or (not scheme and asked.given(OAUTH_SIGN) is not None):
        urls = signed_urls(config, asked.parts)
        member, key = oauth.verify(db, config, asked.method, urls, asked.headers, asked.body)
        return _caller(db, "oauth", member, partial(apps.owner, db, key))
    if scheme:
        raise Unauthorized("who_are_you")
    cookie = parse_cookie(asked.headers.get("cookie", "")).get(sessions.COOKIE)
    if cookie and _own_page(config, asked):
        load = partial(of_session, db, config, cookie)
        if (owner := load()) is not None:
            return _caller(db, "session", owner, load)
    identifier = asked.given("identifier")
    if not sample or not config.anonymous_sample or identifier is None:
        raise Unauthorized("who_are_you")
    if not 1 <= len(identifier) <= IDENTIFIER_MAX:
        raise Invalid("bad_identifier")
    return Caller(NOBODY, identifier, "anonymous", frozenset(), asked.address, lambda: None, lambda _: frozenset())


def admit(db: Db, config: Config, caller: Caller) -> None:
    """Counts a stream that is opened. Raises RateLimited, with the seconds to wait, when it is too soon."""
    limits.take(db, ("stream", str(caller.holder), config.limit_stream))


def signed_urls(config: Config, called: SplitResult) -> list[str]:
    """The addresses for which a request to `called` may have been signed: below STREAM_URL and SITE_URL where they are
    set, and as it was called unless it was called by a name that is not theirs. For whoever a member signs for could
    pass the request on to us, and call us by their own name.
    """
    known = [urlsplit(own) for own in (config.stream_url, config.site_url) if own]
    found = [called._replace(scheme=own.scheme, netloc=own.netloc) for own in known]
    if not known or called.hostname in {own.hostname for own in known}:
        found.append(called)
    return list(dict.fromkeys(parts.geturl() for parts in found))


def _caller(db: Db, kind: Kind, member: Member | None, load: Load, refusal: str = "who_are_you") -> Caller:
    if member is None:
        raise Unauthorized(refusal)
    rights = partial(_rights, db)
    return Caller(member.uid, str(member.uid), kind, rights(member.uid), member.uid, load, rights)


def _rights(db: Db, uid: int) -> frozenset[str]:
    return frozenset(standing.rights(db, uid))


def _own_page(config: Config, asked: Asked) -> bool:
    """Whether a page of this site asks, or no page at all: another site's must not read with a member's cookie."""
    named = {"host": asked.parts.netloc} | {n: asked.headers[n] for n in ("origin",) if n in asked.headers}
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in named.items()]
    return Request({"method": asked.method, "path": "", "headers": raw}).own_page(config)
