"""The member: an account as pages show it, and its parsing from the store."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from webapp.core.rendering.bounded_cache import BoundedCache

from .settings.quote_policy import QuotePolicy

# The fields of the user hash that make a member, in the order that `parse_member` takes them.
MEMBER_FIELDS = (
    *("login", "name", "joined", "avatar", "suspended", "bot"),
    *("quote_policy", "protected", "places_hidden_up_to", "audience", "hidden_from_search"),
    *("first_steps", "limited", "warned", "rights", "app_defaults"),
)
CACHE_BYTES = 4 * 1024 * 1024  # bytes of parsed members that a process keeps


@dataclass(frozen=True, slots=True)
class Member:
    """A member as pages show them."""

    uid: int
    login: str
    name: str
    joined: datetime
    avatar: str = ""  # a stored picture; empty, as for suspended members: an identicon
    suspended: bool = False
    bot_owner: int = 0  # the uid of the bot's owner; 0: a person
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE  # that new posts begin with
    protected: bool = False  # only followers they accepted see their posts
    places_hidden_up_to: int = 0  # statuses up to this id show no place
    audience: str = ""  # that new posts begin with: see remembered_audience.py
    hidden_from_search: bool = False  # others do not find them, nor their posts
    first_steps: bool = field(default=False, compare=False)  # offered on their home
    limited: bool = False  # moderators keep their posts off public pages
    warned: str = field(default="", compare=False)  # number of a warning they have not read
    rights: tuple[str, ...] = ()  # see lifecycle.RIGHTS
    app_defaults: str = ""  # of posts that apps send: see posting_defaults.py

    @property
    def is_moderator(self) -> bool:
        """Return True if the pages of moderators are theirs: admins are moderators too."""
        return "moderator" in self.rights or "admin" in self.rights

    def __hash__(self) -> int:  # fast: members are part of cache keys
        return self.uid


def parse_member(uid: int, fields: Sequence[Any]) -> Member | None:
    """Return the member with these values of MEMBER_FIELDS, None if there is no account."""
    if not fields[0]:
        return None
    key = (uid, *fields)
    return _cache.get(key) or _cache.put(key, _build(*key))


def datetime_from_ms(ms: str | int) -> datetime:
    """Return the time of a timestamp in unix ms."""
    return datetime.fromtimestamp(int(ms) / 1000, UTC)


def datetime_from_seconds(seconds: str | int) -> datetime:
    """Return the time of a timestamp in unix seconds."""
    return datetime.fromtimestamp(int(seconds), UTC)


def _build(
    uid: int,
    login: str,
    name: str,
    joined: str,
    avatar: str | None,
    suspended: str | None,
    bot_owner: str | None,
    quote_policy: str | None,
    protected: str | None,
    places_hidden_up_to: str | None,
    audience: str | None,
    hidden_from_search: str | None,
    first_steps: str | None,
    limited: str | None,
    warned: str | None,
    rights: str | None,
    app_defaults: str | None,
) -> Member:
    return Member(
        uid,
        login,
        name,
        datetime_from_ms(joined),
        avatar if avatar and not suspended else "",
        bool(suspended),
        int(bot_owner or 0),
        QuotePolicy(quote_policy or ""),
        bool(protected),
        int(places_hidden_up_to or 0),
        audience or "",
        bool(hidden_from_search),
        bool(first_steps),
        bool(limited),
        warned or "",
        tuple((rights or "").split()),
        app_defaults or "",
    )


# Keyed by the stored values, so that it never needs invalidation.
_cache: BoundedCache[Member] = BoundedCache(
    CACHE_BYTES, lambda member: 1_500 + 4 * len(member.name)
)
