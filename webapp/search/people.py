"""Search people: those whom the viewer follows first, then by common follows and followers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.autocomplete import keys as name_keys
from webapp.autocomplete.ranks import search as names_beginning
from webapp.autocomplete.words import has_prefixes, name_prefixes
from webapp.core.search.syntax import Query
from webapp.core.store import Read, Site, constant, read
from webapp.core.web import Page
from webapp.following import keys as following_keys
from webapp.following.profiles import NO_DETAILS, PersonDetails, person_details
from webapp.statuses import Relationship, may_be_found, relationship

from . import keys
from .index.layout import with_current_shards
from .query.store import among, top

CANDIDATES_MAX = 120  # members with most followers that are ranked, besides those followed
FOLLOWS_MAX = 1_000  # newest follows of the viewer that are compared with the query
FOLLOWED_MAX = 120  # of these, those that are ranked
FOLLOWS_SAMPLE = 50  # newest follows of the viewer that are looked through for common ones


@dataclass(frozen=True, slots=True)
class PeopleResults:
    """A page of members. The cursor of the next page counts the members before it.

    `followed_uids`, `requested_uids`: whom the viewer follows, or has asked to.
    """

    page: Page[Member]
    followed_uids: frozenset[int] = frozenset()
    requested_uids: frozenset[int] = frozenset()
    details: PersonDetails = NO_DETAILS


@dataclass(frozen=True, slots=True)
class Candidates:
    """The uids that may match, in order. `named`: those that only the index of names found."""

    uids: tuple[int, ...]
    named: frozenset[int]
    prefixes: tuple[str, ...]  # of the words of a name

    def visible(self, members: Mapping[int, Member], between: Relationship) -> list[Member]:
        """Return those that match and may be shown, in order."""
        found = [members[uid] for uid in self.uids if uid in members]
        return [
            member
            for member in found
            if may_be_found(member)
            and between.visible_on_request(member.uid)
            and (
                member.uid not in self.named
                or has_prefixes(member.login, member.name, self.prefixes)
            )
        ]


def search_people(
    site: Site, query: Query, viewer: Member | None, offset: int = 0
) -> PeopleResults:
    """Return members whose names or bios match the words of a query. Three trips, two for visitors.

    A name matches too if a word of it begins with each word of the query.

    Those whom the viewer follows come first: of FOLLOWS_MAX newest follows. Then come those whom
    most of the viewer's follows follow, of the CANDIDATES_MAX with most followers. Others that
    match are not listed. Blocked members, and those who block the viewer, are left out; muted ones
    are found.
    """
    uid = viewer.uid if viewer else 0
    follows = site.db.read(_newest_follows(uid))
    found = _candidates(with_current_shards(site), query, follows)
    uids = found.uids
    sample = follows[:FOLLOWS_SAMPLE]
    members, between, common, details = site.db.fetch(
        accounts.get_many(uids),
        relationship(uid, uids, with_requests=True),
        _common_follows(uids, sample),
        person_details(uid, uids),
    )
    visible = found.visible(members, between)
    # Sorting keeps the order of followers among equals.
    visible.sort(key=lambda member: (member.uid not in between.follows, -common.get(member.uid, 0)))
    items = tuple(visible[offset : offset + site.config.page_size])
    has_more = len(visible) > offset + site.config.page_size
    page = Page(items, offset + site.config.page_size if has_more else None)
    return PeopleResults(page, between.follows, between.requested, details)


def count_people(site: Site, query: Query, viewer: Member | None) -> int:
    """Return how many members match, of those that `search_people` ranks. Two trips at most."""
    if query.people_plan.is_empty:
        return 0
    found = _candidates(with_current_shards(site), query, ())
    state = accounts.get_many(found.uids), relationship(viewer.uid if viewer else 0, found.uids)
    return len(found.visible(*site.db.fetch(*state)))


def _candidates(site: Site, query: Query, follows: Sequence[int]) -> Candidates:
    """Return those that match. One trip.

    First come those with most followers, then some of `follows`, then those found by their names.
    """
    plan, prefixes = query.people_plan, name_prefixes(query.text)
    followed, ranked, beginning = site.db.fetch(
        among(site.config, keys.PEOPLE, plan, follows),
        top(
            *(site.config, keys.PEOPLE, plan, CANDIDATES_MAX),
            half_life_days=None,
            weights=("followers", 1),
        ),
        names_beginning(name_keys.name_index, max(prefixes, key=len, default="")),
    )
    most_followed = [number for number, _ in ranked.entries]
    others = sorted(set(followed).difference(most_followed), reverse=True)[:FOLLOWED_MAX]
    matching = dict.fromkeys(most_followed + others)
    named = dict.fromkeys(uid for uid in map(int, beginning) if uid not in matching)
    return Candidates((*matching, *named), frozenset(named), prefixes)


def _newest_follows(viewer: int) -> Read[list[int]]:
    if not viewer:
        return constant([])
    command = ("ZRANGE", following_keys.following(viewer), 0, FOLLOWS_MAX - 1, "REV")
    return read(command, lambda uids: list(map(int, uids)))


def _common_follows(uids: Sequence[int], sample: Sequence[int]) -> Read[dict[int, int]]:
    """Read how many of the viewer's newest follows follow each of these members."""
    if not sample:
        return constant({})

    def parse(replies: Sequence[Sequence[Any]]) -> dict[int, int]:
        counts = (sum(score is not None for score in scores) for scores in replies)
        return dict(zip(uids, counts, strict=True))

    return Read(tuple(("ZMSCORE", following_keys.followers(uid), *sample) for uid in uids), parse)
