"""Members to suggest for the text after an `@`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, collect, constant, gather, read, script
from webapp.following import keys as following_keys
from webapp.statuses import Relationship, relationship
from webapp.timelines import keys as timeline_keys

from . import keys
from .ranks import search
from .words import has_prefixes, name_prefixes, tag_prefix

RECENT_CONTACTS = script("autocomplete/lua/recent_contacts.lua")
CONTACTS_MAX = 100
SHOWN_MAX = 8
OWN_MAX = 100  # hashtags that a member used, and as many that they follow


@dataclass(frozen=True, slots=True)
class MemberSearch:
    """The uids that may match what was typed. None of them was checked yet."""

    prefixes: tuple[str, ...]  # one for each word
    exact: int | None  # whose login it is
    contacts: Sequence[int]  # of the member who searches, the most recent first
    found: Sequence[int]  # in the index of names

    @property
    def uids(self) -> tuple[int, ...]:
        """Return all of them, each once."""
        exact = (self.exact,) if self.exact else ()
        return tuple(dict.fromkeys((*exact, *self.contacts, *self.found)))


def search_members(uid: int | None, typed: str) -> Read[MemberSearch | None]:
    """Read candidates for a typed name. None if nobody can match.

    Of several words, the longest is looked up, and all are compared.
    """
    prefixes = name_prefixes(typed)
    if uid is None or not prefixes:
        return constant(None)
    prefix = max(prefixes, key=len)
    contacts = RECENT_CONTACTS(uid=uid, limit=CONTACTS_MAX)
    return gather(
        accounts.claimed_uid(prefix), read(contacts, _numbers), search(keys.name_index, prefix)
    ).map(lambda found: MemberSearch(prefixes, found[0], found[1], _numbers(found[2])))


def suggest_members(
    uid: int, found: MemberSearch | None, limit: int = SHOWN_MAX
) -> Read[list[Member]]:
    """Read the members to suggest: those of a search whom the member may be shown.

    First the member with this login, then recent contacts, then those whom the member follows, then
    others; each of these two by followers. Those hidden from search show only by login or as
    contacts.
    """
    if found is None:
        return constant([])
    followers = collect(
        read(("ZCARD", following_keys.followers(other)), int) for other in found.found
    )
    state = gather(accounts.get_many(found.uids), relationship(uid, found.uids), followers)

    def choose(state: tuple[dict[int, Member], Relationship, list[int]]) -> list[Member]:
        members, between, counts = state
        popularity = dict(zip(found.found, counts, strict=True))
        findable = (
            other
            for other in found.found
            if other in members and not members[other].hidden_from_search
        )
        ranked = sorted(
            findable, key=lambda other: (other not in between.follows, -popularity[other], other)
        )
        exact = [found.exact] if found.exact else []
        order = dict.fromkeys([*exact, *found.contacts, *ranked])
        others = [members[other] for other in order if other in members and other != uid]
        return [one for one in others if _is_shown(one, between, found.prefixes)][:limit]

    return state.map(choose)


def _is_shown(member: Member, between: Relationship, prefixes: tuple[str, ...]) -> bool:
    """Return True if a member matches and may be shown. Muted ones only match their whole login."""
    if member.suspended or not between.visible_on_request(member.uid):
        return False
    if member.uid in between.mutes:
        return prefixes == (member.login.lower(),)
    return has_prefixes(member.login, member.name, prefixes)


def _numbers(texts: Sequence[Any]) -> list[int]:
    return [int(text) for text in texts]


@dataclass(frozen=True, slots=True)
class TagSearch:
    """The hashtags that match a prefix: the member's own, the most recent first, and others."""

    own: Sequence[str]
    found: Sequence[str]


def search_tags(uid: int | None, typed: str) -> Read[TagSearch]:
    """Read which hashtags match the text that a member typed after a `#`."""
    prefix = tag_prefix(typed)
    if uid is None or prefix is None:
        return constant(TagSearch((), ()))
    followed = read(("ZRANGE", timeline_keys.followed_tags(uid), 0, OWN_MAX - 1, "REV"), list[str])
    own = (recent_tags(uid, OWN_MAX), followed)

    def matching(found: tuple[list[list[str]], Sequence[str]]) -> TagSearch:
        used, followed = found[0]
        names = dict.fromkeys([*used, *followed])
        return TagSearch([name for name in names if name.startswith(prefix)], found[1])

    return gather(collect(own), search(keys.tag_names, prefix)).map(matching)


def recent_tags(uid: int, count: int) -> Read[list[str]]:
    """Read the hashtags that a member has used lately, the newest first."""
    return read(("ZRANGE", keys.recent_tags(uid), 0, count - 1, "REV"), list)


def suggest_tags(found: TagSearch) -> Read[list[str]]:
    """Read the hashtags to suggest: the member's own, then others with public posts, by these."""

    def choose(counts: list[int]) -> list[str]:
        count_of = dict(zip(found.found, counts, strict=True))
        used = [name for name in found.found if count_of[name]]
        ranked = sorted(used, key=lambda name: (-count_of[name], name))
        return list(dict.fromkeys([*found.own, *ranked]))[:SHOWN_MAX]

    counts = (read(("ZCARD", timeline_keys.hashtag_statuses(name)), int) for name in found.found)
    return collect(counts).map(choose)
