"""Suggestions as pages show them: checked again by the policy, since much may have happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, gather
from webapp.core.store.bloom.bloom_filter import BloomFilter
from webapp.following import keys as following_keys
from webapp.following.profiles import PersonDetails, person_details
from webapp.statuses import Relationship, relationship
from webapp.statuses.visibility.policy import ANONYMOUS
from webapp.timelines import keys as timeline_keys

from . import keys
from .reasons import Suggestion, Why

DISMISSED = BloomFilter(capacity=1_000, error_rate=0.01)  # of one member


@dataclass(frozen=True, slots=True)
class SuggestedMember:
    """A suggested member, and the reason. `via`: the member whom it names."""

    member: Member
    suggestion: Suggestion
    via: Member | None = None
    bio: str = ""
    follows_viewer: bool = False


@dataclass(frozen=True, slots=True)
class Relations:
    """A viewer's relations to suggested members, without those that the viewer dismissed."""

    relation: Relationship
    dismissed: frozenset[int]

    def allowed(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        """Return the suggestions that nothing between viewer and member forbids."""
        return [
            one
            for one in suggestions
            if one.uid not in self.dismissed and self.relation.may_introduce(one.uid)
        ]


def relations(viewer: int, suggestions: Sequence[Suggestion]) -> Read[Relations]:
    """Read a viewer's relations to suggested members. Six commands, however many there are."""
    uids = list(dict.fromkeys(one.uid for one in suggestions))
    via = [one.via for one in suggestions if one.via]
    return gather(
        relationship(viewer, [*uids, *via], with_requests=True),
        DISMISSED.contained(keys.dismissed(viewer), uids),
    ).map(lambda found: Relations(*found))


def check(
    viewer: int, suggestions: Sequence[Suggestion], between: Relations
) -> Read[list[SuggestedMember]]:
    """Read which of some allowed suggestions may be shown, in order, each member once."""
    uids = [uid for one in suggestions for uid in (one.uid, one.via) if uid]
    facts = gather(
        accounts.get_many(uids),
        _reasons_hold(viewer, suggestions),
        person_details(viewer, [one.uid for one in suggestions]),
    )

    def parse(
        found: tuple[dict[int, Member], list[bool], PersonDetails],
    ) -> list[SuggestedMember]:
        members, reasons, details = found
        suggested: dict[int, SuggestedMember] = {}
        for one, holds in zip(suggestions, reasons, strict=True):
            member, via = members.get(one.uid), members.get(one.via)
            if holds and member and _may_show(between.relation, one, member, via):
                suggested.setdefault(one.uid, _with_details(details, member, one, via))
        return list(suggested.values())

    return facts.map(parse)


def check_for_visitors(suggestions: Sequence[Suggestion]) -> Read[list[SuggestedMember]]:
    """Read which of some suggestions may be shown to all visitors, in order."""
    uids = [one.uid for one in suggestions]

    def parse(found: tuple[dict[int, Member], PersonDetails]) -> list[SuggestedMember]:
        members, details = found
        return [
            _with_details(details, members[one.uid], one)
            for one in suggestions
            if one.uid in members and ANONYMOUS.may_suggest(members[one.uid])
        ]

    return gather(accounts.get_many(uids), person_details(None, uids)).map(parse)


def _with_details(
    details: PersonDetails, member: Member, suggestion: Suggestion, via: Member | None = None
) -> SuggestedMember:
    bio, follows_viewer = details.bios.get(member.uid, ""), member.uid in details.follows_viewer
    return SuggestedMember(member, suggestion, via, bio, follows_viewer)


def _may_show(
    relation: Relationship, suggestion: Suggestion, member: Member, via: Member | None
) -> bool:
    if suggestion.via and not relation.may_name_friend(via):
        return False
    return relation.may_suggest(member, through_friend=suggestion.why is Why.FOLLOWED)


def _reasons_hold(viewer: int, suggestions: Sequence[Suggestion]) -> Read[list[bool]]:
    """Read which reasons still hold. One command for each list that some of them depend on."""
    places = [_place(viewer, one) for one in suggestions]
    wanted: dict[str, list[int | str]] = defaultdict(list)
    for key, item in filter(None, places):
        wanted[key].append(item)

    def parse(replies: Sequence[Sequence[Any]]) -> list[bool]:
        standing = {
            (key, item)
            for (key, items), scores in zip(wanted.items(), replies, strict=True)
            for item, score in zip(items, scores, strict=True)
            if score is not None
        }
        return [place is None or place in standing for place in places]

    return Read(tuple(("ZMSCORE", key, *items) for key, items in wanted.items()), parse)


def _place(viewer: int, suggestion: Suggestion) -> tuple[str, int | str] | None:
    """Return the list on which something must be for a reason to hold, None if it always does."""
    if suggestion.why is Why.FOLLOWED:
        return following_keys.following(suggestion.via), suggestion.uid
    if suggestion.why is Why.FOLLOWED_TAG:
        return timeline_keys.followed_tags(viewer), suggestion.tag
    return None
