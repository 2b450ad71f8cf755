"""Search people: those whom the viewer follows first, then by common follows and followers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, read
from webapp.core.web.pagination import Page
from webapp.following import keys as following_keys
from webapp.following.person_details import NO_DETAILS, PersonDetails, person_details
from webapp.statuses.visibility.relationships import relationship

from . import keys
from .query.plan import Plan
from .query.store import top

CANDIDATES_MAX = 120  # members that are ranked; the rest of those that match are not listed
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


def search_people(
    db: Db, config: Config, plan: Plan, viewer: Member | None, offset: int = 0
) -> PeopleResults:
    """Return members whose names or bios match a plan of words. Three trips, two for visitors.

    Blocked members, and those who block the viewer, are left out; muted ones are found.
    """
    uid = viewer.uid if viewer else 0
    ranked, sample = db.fetch(
        top(
            *(config, keys.PEOPLE, plan, CANDIDATES_MAX),
            half_life_days=None,
            weights=("followers", 1),
        ),
        _newest_follows(uid),
    )
    uids = [number for number, _ in ranked.entries]
    members, between, requested, common, details = db.fetch(
        accounts.get_many(uids),
        relationship(uid, uids),
        _requested(uid, uids),
        _common_follows(uids, sample),
        person_details(uid, uids),
    )
    visible = [
        member
        for number in uids
        if (member := members.get(number))
        and _may_find(member)
        and between.visible_on_request(number)
    ]
    # Sorting keeps the order of followers among equals.
    visible.sort(key=lambda member: (member.uid not in between.follows, -common.get(member.uid, 0)))
    shown = tuple(visible[offset : offset + config.page_size])
    has_more = len(visible) > offset + config.page_size
    page = Page(shown, offset + config.page_size if has_more else None)
    return PeopleResults(page, between.follows, requested, details)


def _may_find(member: Member) -> bool:
    return not (member.suspended or member.hidden_from_search)


def _newest_follows(viewer: int) -> Read[list[int]]:
    if not viewer:
        return constant([])
    command = ("ZRANGE", following_keys.following(viewer), 0, FOLLOWS_SAMPLE - 1, "REV")
    return read(command, lambda uids: list(map(int, uids)))


def _requested(viewer: int, uids: Sequence[int]) -> Read[frozenset[int]]:
    if not viewer or not uids:
        return constant(frozenset())

    def parse(scores: Sequence[Any]) -> frozenset[int]:
        return frozenset(uid for uid, score in zip(uids, scores, strict=True) if score is not None)

    return read(("ZMSCORE", following_keys.sent_follow_requests(viewer), *uids), parse)


def _common_follows(uids: Sequence[int], sample: Sequence[int]) -> Read[dict[int, int]]:
    """Read how many of the viewer's newest follows follow each of these members."""
    if not sample:
        return constant({})

    def parse(replies: Sequence[Sequence[Any]]) -> dict[int, int]:
        counts = (sum(score is not None for score in scores) for scores in replies)
        return dict(zip(uids, counts, strict=True))

    return Read(tuple(("ZMSCORE", following_keys.followers(uid), *sample) for uid in uids), parse)
