"""What a page that is open asks for, to be added to it: statuses by their numbers, some of them as somebody boosts
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.accounts.store import member_command, member_from
from webapp.core.store.client import Db
from webapp.core.store.ids import parse_id
from webapp.core.store.reads import Command
from webapp.statuses.interactions import keys as interaction_keys

from .interactions.boosts import Boost, Item, merge_newest_first, zset_member
from .interactions.viewer_state import ViewerState, parse_viewer_state, viewer_state_commands
from .store import hydration, with_authors
from .visibility.policy import Relationship, relationship_commands, relationship_from

StatusRef = tuple[int, int]  # a status, and who boosts it; 0 for nobody


def parse_ref(text: str) -> StatusRef | None:
    """What `id` or `id-booster` names; None for anything else."""
    status, dash, booster = text.partition("-")
    number, uid = parse_id(status), parse_id(booster) if dash else 0
    return (number, uid) if number is not None and uid is not None else None


def fetch(
    db: Db, booster_by_id: Mapping[int, int], viewer: int | None
) -> tuple[list[Item], ViewerState]:
    """Those of the statuses that are there and that a viewer who asks is shown, newest first, and what the viewer did
    with them, but for what they did just now. `asked`: who boosts each, 0 for nobody: where that is not so any more, it
    is left out. Two trips.
    """
    entries = with_authors(db, list(booster_by_id))
    boost_refs = [
        (booster_by_id[status_id], status_id, author)
        for status_id, author in entries
        if booster_by_id[status_id]
    ]
    uids = sorted({author for _, author in entries} | {by for by, *_ in boost_refs})
    commands, parse = hydration(entries)
    parts: list[list[Command]] = [
        relationship_commands(viewer, uids),
        viewer_state_commands(viewer, entries),
        commands,
    ]
    parts += [
        [
            ("ZSCORE", interaction_keys.member_boosts(by), zset_member(*entry))
            for by, *entry in boost_refs
        ]
    ]
    parts += [[member_command(by) for by, *_ in boost_refs]]
    relation_replies, state_replies, status_replies, scores, booster_replies = db.trip_by_group(
        *parts
    )
    relationship = relationship_from(viewer, uids, relation_replies)
    statuses = {
        one.id: one for one in parse(status_replies) if one and relationship.is_visible(one)
    }
    found_boosts = [
        Boost(int(at), by, statuses[status_id])
        for (uid, status_id, _), at, booster_fields in zip(
            boost_refs, scores, booster_replies, strict=True
        )
        if at is not None and status_id in statuses and (by := member_from(uid, booster_fields))
    ]
    unboosted = [one for one in statuses.values() if not booster_by_id[one.id]]
    return merge_newest_first(
        unboosted, [one for one in found_boosts if _may_see(relationship, one)]
    ), parse_viewer_state(viewer, entries, state_replies)


def _may_see(relationship: Relationship, boost: Boost) -> bool:
    booster = boost.booster
    return (
        not booster.suspended
        and relationship.visible_on_request(booster.uid)
        and relationship.may_see_boost(boost.status, booster)
    )
