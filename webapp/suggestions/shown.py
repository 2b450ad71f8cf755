"""Suggestions as pages show them: checked again by the policy, since much may have happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store.bloom.bloom_filter import BloomFilter
from webapp.core.store.reads import Read, collect, constant, gather, read
from webapp.following import keys as following_keys
from webapp.following.person_details import PersonDetails, person_details
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship
from webapp.timelines import keys as timeline_keys

from . import keys
from .policy import may_name, may_suggest
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
class _Facts:
    """What holds now: members, the viewer's relations, and the reasons that still stand."""

    members: dict[int, Member]
    relation: Relationship
    requested: frozenset[int]
    dismissed: frozenset[int]
    reasons: list[bool]
    details: PersonDetails

    def shown(self, suggestion: Suggestion, holds: bool) -> SuggestedMember | None:
        """Return the suggestion as it is shown, None if it is not."""
        member, via = self.members.get(suggestion.uid), self.members.get(suggestion.via)
        if not holds or member is None or member.uid in self.dismissed:
            return None
        if suggestion.via and not may_name(self.relation, via):
            return None
        if not may_suggest(self.relation, self.requested, member, suggestion.why):
            return None
        details = self.details
        return SuggestedMember(
            member,
            suggestion,
            via,
            details.bios.get(member.uid, ""),
            member.uid in details.follows_viewer,
        )


def check(viewer: int, suggestions: Sequence[Suggestion]) -> Read[list[SuggestedMember]]:
    """Read which suggestions may be shown to a viewer, in order, each member once."""
    uids = list(dict.fromkeys(one.uid for one in suggestions))
    via = [one.via for one in suggestions if one.via]

    def parse(found: tuple[object, ...]) -> list[SuggestedMember]:
        facts = _Facts(*found)  # type: ignore[arg-type]
        shown: dict[int, SuggestedMember] = {}
        for suggestion, holds in zip(suggestions, facts.reasons, strict=True):
            if one := facts.shown(suggestion, holds):
                shown.setdefault(one.member.uid, one)
        return list(shown.values())

    reads: tuple[Read[object], ...] = (
        accounts.get_many([*uids, *via]),
        relationship(viewer, [*uids, *via]),
        _requested(viewer, uids),
        DISMISSED.contained(keys.dismissed(viewer), uids),
        collect(_holds(viewer, one) for one in suggestions),
        person_details(viewer, uids),
    )
    return gather(*reads).map(parse)


def _requested(viewer: int, uids: Sequence[int]) -> Read[frozenset[int]]:
    if not uids:
        return constant(frozenset())
    command = ("ZMSCORE", following_keys.sent_follow_requests(viewer), *uids)
    return read(
        command,
        lambda scores: frozenset(
            uid for uid, score in zip(uids, scores, strict=True) if score is not None
        ),
    )


def _holds(viewer: int, suggestion: Suggestion) -> Read[bool]:
    """Read whether a reason still stands."""
    if suggestion.why is Why.FOLLOWED:
        return _has(following_keys.following(suggestion.via), suggestion.uid)
    if suggestion.why is Why.FOLLOWED_TAG:
        return _has(timeline_keys.followed_tags(viewer), suggestion.tag)
    return constant(True)


def _has(key: str, item: int | str) -> Read[bool]:
    return read(("ZSCORE", key, item), lambda score: score is not None)
