"""Details beside names in lists of people: bios, and who follows the viewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.core.store.reads import Read

from . import keys

BIO_MAX = 200  # characters: more than two lines hold


@dataclass(frozen=True, slots=True)
class PersonDetails:
    """Bios by uid, and the uids of those who follow the viewer."""

    bios: Mapping[int, str] = field(default_factory=dict)
    follows_viewer: frozenset[int] = frozenset()


NO_DETAILS = PersonDetails()


def person_details(viewer: int | None, uids: Iterable[int]) -> Read[PersonDetails]:
    """Read the details of members for a viewer; None or 0: a visitor."""
    others = tuple(dict.fromkeys(uids))
    commands: list[tuple[Any, ...]] = [("HGET", account_keys.user(uid), "bio") for uid in others]
    if viewer and others:
        commands.append(("ZMSCORE", keys.followers(viewer), *others))

    def parse(replies: Sequence[Any]) -> PersonDetails:
        bios = {uid: bio[:BIO_MAX] for uid, bio in zip(others, replies, strict=False) if bio}
        scores = replies[-1] if viewer and others else ()
        followers = (uid for uid, score in zip(others, scores, strict=False) if score is not None)
        return PersonDetails(bios, frozenset(followers))

    return Read(tuple(commands), parse)
