"""Identify callers: members with a token, a signature or a session, and visitors."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from werkzeug.sansio.http import parse_cookie

from webapp.accounts import lifecycle
from webapp.accounts.store import NO_UID, Member
from webapp.accounts.tokens import apps, oauth, store as tokens
from webapp.config import Config
from webapp.core.errors import Invalid, Unauthorized
from webapp.core.store import Db, Site
from webapp.core.web import rate_limits, session_cookie
from webapp.streaming.delivery.page_credentials import session_member
from webapp.streaming.http.requests import is_own_origin

from .connection_slots import SlotHolder
from .stream_request import StreamRequest

LoadMember = Callable[[], Member | None]
CallerKind = Literal["token", "oauth", "session", "anonymous"]
IDENTIFIER_MAX = 100  # characters
OAUTH_SIGNATURE = "oauth_signature"  # a parameter that nothing else has


@dataclass(frozen=True, slots=True)
class Caller:
    """A member, or a visitor with uid 0."""

    uid: int
    name: str  # the same for every request of the caller
    kind: CallerKind
    rights: frozenset[str]
    holder: SlotHolder  # whose slots and rate limits count
    _load_member: LoadMember = field(repr=False, compare=False)
    _load_rights: Callable[[int], frozenset[str]] = field(repr=False, compare=False)
    bot_owner: int = NO_UID  # the member whose bot it is

    def recheck(self, required_rights: frozenset[str] = frozenset()) -> bool:
        """Return True if the credentials are still good and the rights still there.

        Two trips at most, none for a visitor. Raises Unavailable.
        """
        if self.uid == NO_UID:
            return not required_rights
        member = self._load_member()
        if member is None or member.suspended or member.uid != self.uid:
            return False
        return not required_rights or required_rights <= self._load_rights(self.uid)


def identify(site: Site, request: StreamRequest, allow_anonymous: bool = False) -> Caller:
    """Return the caller of a request. Three trips at most.

    `allow_anonymous`: accept a visitor with an identifier, if ANONYMOUS_SAMPLE does. Raises
    Unauthorized, Invalid for a bad identifier or address.
    """
    scheme, _, rest = request.headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer":
        load: LoadMember = partial(tokens.authenticate, site, rest.strip())
        return _caller(site.db, "token", load(), load, "bad_token")
    if scheme.lower() == "oauth" or (not scheme and request.parameter(OAUTH_SIGNATURE) is not None):
        return _identify_signer(site, request)
    if scheme:
        raise Unauthorized("who_are_you")
    cookie = session_cookie(
        parse_cookie(request.headers.get("cookie", "")), request.url_parts.scheme == "https"
    )
    origin, host = request.headers.get("origin"), request.url_parts.netloc
    if cookie and is_own_origin(origin, host, site.config):
        load = partial(session_member, site, cookie)
        member = load()
        if member is not None:
            return _caller(site.db, "session", member, load)
    return _identify_visitor(request, allow_anonymous and site.config.anonymous_sample)


def consume_rate_limit(site: Site, caller: Caller) -> None:
    """Count an opened stream. One trip. Raises RateLimited with the seconds to wait."""
    rate_limits.consume(site.db, ("stream", str(caller.holder), site.config.limit_stream))


def signed_urls(config: Config, requested: SplitResult) -> list[str]:
    """Return the URLs that a client may have signed for a request.

    These are the ones below STREAM_URL and SITE_URL, and the requested one if its host is theirs or
    they are not set. Without this rule a site that a member signs a request for could pass it on
    to this site under its own name.
    """
    own_urls = [urlsplit(own_url) for own_url in (config.stream_url, config.site_url) if own_url]
    candidates = [
        requested._replace(scheme=own_url.scheme, netloc=own_url.netloc) for own_url in own_urls
    ]
    if not own_urls or requested.hostname in {own_url.hostname for own_url in own_urls}:
        candidates.append(requested)
    return list(dict.fromkeys(parts.geturl() for parts in candidates))


def _identify_signer(site: Site, request: StreamRequest) -> Caller:
    urls = signed_urls(site.config, request.url_parts)
    member, key = oauth.verify(site, request.method, urls, request.headers, request.body)
    return _caller(site.db, "oauth", member, partial(apps.find_owner, site.db, key))


def _identify_visitor(request: StreamRequest, allowed: bool) -> Caller:
    identifier = request.parameter("identifier")
    if not allowed or identifier is None:
        raise Unauthorized("who_are_you")
    if not 1 <= len(identifier) <= IDENTIFIER_MAX:
        raise Invalid("bad_identifier")
    no_rights = frozenset[str]()
    return Caller(
        NO_UID,
        identifier,
        "anonymous",
        no_rights,
        request.address,
        lambda: None,
        lambda _: no_rights,
    )


def _caller(
    db: Db,
    kind: CallerKind,
    member: Member | None,
    load: LoadMember,
    error_code: str = "who_are_you",
) -> Caller:
    """Return a member as a caller. One trip. Raises Unauthorized if `member` is None."""
    if member is None:
        raise Unauthorized(error_code)
    uid = member.uid
    load_rights = partial(_rights, db)
    rights = load_rights(uid)
    return Caller(uid, str(uid), kind, rights, uid, load, load_rights, member.bot_owner)


def _rights(db: Db, uid: int) -> frozenset[str]:
    return frozenset(lifecycle.rights(db, uid))
