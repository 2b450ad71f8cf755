"""Rules about lists: both sides of a like, boost, follow and block, and the entries of profiles."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from webapp.accounts import keys as accounts
from webapp.core.store import Command, Site, partition_of, script
from webapp.core.store.schema import MemberKey
from webapp.following import keys as following
from webapp.registry.comparisons import CHECK_AGAIN
from webapp.statuses import keys as statuses
from webapp.statuses.edits import keys as edits
from webapp.statuses.interactions import keys as interactions

from .rule import Entry, Fault, Rule, ask_each

DROP_ENTRY = script("admin/verify/lua/drop_entry.lua")


@dataclass(frozen=True, slots=True)
class Relation:
    """What members do to posts or others. Their `own` lists are the truth, `others` the projection.

    `about` reads of a post or member what tells that it exists. `event` and `entry` take the reply:
    the fields of the event, whose projection compares both sides, and the entry of an own list.
    """

    own: MemberKey
    others: MemberKey
    about: Callable[[int], Command]
    event: Callable[[int, str, str], tuple[object, ...]]
    entry: Callable[[int, str], str] = lambda id, _: str(id)

    @property
    def rules(self) -> Iterator[Rule]:
        """Yield the rules about both sides: each entry of one has one on the other."""
        yield Rule(self.own, partial(_one_sided, self, True), each_entry=True)
        yield Rule(self.others, partial(_one_sided, self, False), each_entry=True)


def _one_sided(
    relation: Relation, is_own: bool, site: Site, entries: Sequence[Entry]
) -> list[Fault]:
    """Return the entries without another side, unless what they are about is gone."""
    acts = [(one.owner, one.id) if is_own else (one.id, one.owner) for one in entries]
    replies = site.db.trip_all(relation.about(id) for _, id in acts)
    places = [
        reply
        and (
            (relation.others(id), uid) if is_own else (relation.own(uid), relation.entry(id, reply))
        )
        for (uid, id), reply in zip(acts, replies, strict=True)
    ]
    scores = ask_each(site.db, [place and ("ZSCORE", *place) for place in places])
    faults = []
    rows = zip(entries, acts, replies, places, scores, strict=True)
    for one, (uid, id), reply, place, score in rows:
        if place and score is None:
            type, *fields = relation.event(id, reply, one.score if is_own else "")
            mend = CHECK_AGAIN(site.config, uid=uid, type=type, fields=fields)
            text = f"{one.member} is in {one.name}, but {place[1]} is not in {place[0]}"
            faults.append(Fault(one, text, mend))
    return faults


def _orphans(site: Site, entries: Sequence[Entry]) -> list[Fault]:
    """Return the entries of lists of own statuses whose status is gone."""
    authors = site.db.trip_all(_author(entry.id) for entry in entries)
    return [
        Fault(entry, f"{entry.member} is in {entry.name}, but there is no such post", _drop(entry))
        for entry, author in zip(entries, authors, strict=True)
        if author != str(entry.owner)
    ]


def _drop(entry: Entry) -> Command | None:
    if partition_of(entry.id) != partition_of(entry.owner):
        return None  # it was never one of theirs
    return DROP_ENTRY(list=entry.name, id=entry.id, uid=entry.owner, entry=entry.member)


def _author(status_id: int) -> Command:
    return ("HGET", statuses.status(status_id), "author")


def _login(uid: int) -> Command:
    return ("HGET", accounts.user(uid), "login")


def _number(score: str) -> int:
    return int(float(score or 0))


RELATIONS = (
    Relation(
        interactions.member_likes,
        interactions.likers,
        _author,
        lambda id, author, _: ("like_checked", "id", id, "author", author),
    ),
    Relation(
        interactions.member_boosts,
        interactions.boosters,
        _author,
        lambda id, author, score: (
            *("boost_checked", "id", _number(score), "status", id, "author", author),
        ),
        lambda id, author: f"{id}:{author}",
    ),
    Relation(
        following.following,
        following.followers,
        _login,
        lambda uid, _, score: ("follow_checked", "target", uid, "followed_at", _number(score)),
    ),
    Relation(
        following.blocks,
        following.blockers,
        _login,
        lambda uid, *_: ("block_checked", "target", uid),
    ),
)
INDEXES = (
    statuses.profile_statuses,
    statuses.profile_replies,
    statuses.profile_media,
    statuses.restricted_statuses,
    edits.pinned_statuses,
)
RULES = (
    *(rule for relation in RELATIONS for rule in relation.rules),
    *(Rule(key, _orphans, each_entry=True) for key in INDEXES),
)
