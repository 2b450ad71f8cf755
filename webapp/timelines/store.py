"""Reading timelines: home, public and profile. Each page is a fixed number of trips, whatever it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .. import keys
from ..accounts.store import Member, find_uid
from ..config import Config
from ..db import Command, Db
from ..errors import Forbidden, NotFound
from ..events import NEWEST, position_of
from ..following.store import (
    PROFILE_PARTS,
    Profile,
    Relation,
    follows_from,
    profile_commands,
    profile_from,
    relation,
    relation_commands,
)
from ..ids import partition_of
from ..paging import below, looked_at
from ..scripts import script
from ..statuses.acts import Acts, acts_told
from ..statuses.boosts import ONCE, Item, newest_command, newest_from
from ..statuses.listed import page_command, page_from
from ..statuses.pins import pins_command, pins_from
from ..statuses.quotes import Cards
from ..statuses.seeing import Between, between_two
from ..statuses.status import Status
from . import everybody, reading, rebuild, tags
from .boosted import OnProfile
from .outside import Outside
from .timeline import Timeline, timeline, with_cards

HOME = script("timelines/home.lua")
OPEN_LISTS = script("timelines/open_lists.lua")
UNKEPT = ("absent", "cut")  # states of a home that is to be built
SPARE = 5  # entries that are read besides those of a page: some may prove to be gone


class Asked:
    """A page of a member's home that is asked for: `commands` to put into a trip, whose replies `home` takes.
    `session`: the key of who asks, where they are sent before it is proved.
    """

    def __init__(self, db: Db, config: Config, uid: int, before: int | None, *session: str) -> None:
        p = partition_of(uid)
        names = [keys.home(uid), keys.following(uid), keys.active(p), keys.pulled(p), keys.suspended(p)]
        names += [keys.mutes(uid), keys.blocks(uid), keys.blockers(uid), keys.followed_tags(uid), keys.aside(uid)]
        names += [keys.user(uid), keys.liked(uid), keys.bookmarks(uid), keys.boosts(uid), keys.voted(uid)]
        given = (uid, below(before), config.page_size + 1 + SPARE, config.home_max, ONCE)
        self.outside = Outside(db, config, uid, before)
        self.commands = [NEWEST, *self.outside.commands, HOME([*names, keys.acted(uid), *session], *given)]


def home(
    db: Db,
    config: Config,
    uid: int,
    before: int | None = None,
    asked: Asked | None = None,
    replies: Sequence[Any] | None = None,
) -> Timeline[Item]:
    """A page of a member's home timeline, newest first. Two trips, one where this process read its statuses just now;
    and one more, never two, for what something on it quotes or what the reader did just now; where it takes from
    elsewhere what this process has not read; where something proves to be gone or not for the reader; and where it is
    built anew. What comes in that one stands there without what it quotes. Never a status that is deleted, or whose
    author is hidden or, unless for a tag, not followed (any more); where more than SPARE have to be left out a page may
    be short, and leads on. `asked`, with the `replies` to its commands, where these were sent already: that is one trip
    less.
    """
    size, asked = config.page_size, asked or Asked(db, config, uid, before)
    newest, *told, page = replies or db.trip(*asked.commands)
    if page[0] in UNKEPT:
        return rebuild.page(db, config, uid, before, position_of(newest), page)
    (state, own, authors, names, around, acts), outside = page, asked.outside
    outside.read(told)
    outside.take(names, map(int, authors))
    hidden, position = set(map(int, around)), position_of(newest)
    mixed = tags.Mixed(own, outside.brought(hidden), state, size + 1)
    done = acts_told(acts)
    first, told = reading.read(db, config, uid, mixed, outside.merged, done, outside.commands)
    shown = timeline(first.items, size, position, first.acts, first.end or None)
    if not (told or first.gone or first.left_out):
        return with_cards(db, uid, shown)
    outside.read(told)
    mixed = tags.again(own, outside.brought(hidden), state, looked_at(size), first.gone, first.left_out)
    cards, clean = Cards(uid, shown.items, first.acts), tags.cleaning(db, uid, names, first.gone)
    second, told = reading.read(db, config, uid, mixed, outside.merged, done, [*cards.commands, *clean])
    known = cards.read(told[: len(cards.commands)]).beside(second.acts)
    return timeline(second.items, size, position, known, second.end or None)


def public_command(config: Config, before: int | None) -> Command:
    """The command that reads the entries of a page of the public timeline."""
    return everybody.page_command(keys.public(), config, before)


def public(
    db: Db, config: Config, before: int | None = None, viewer: int | None = None, read: Sequence[Any] | None = None
) -> Timeline[Status]:
    """A page of the public timeline, newest first. Two trips; one more where somebody on it is hidden from the viewer,
    one where something on it quotes another status. Where much is hidden a page may be short, and leads on. `read`: the
    replies to NEWEST and to `public_command`, where these were sent already: one trip less.
    """
    return everybody.page(db, config, keys.public(), before, viewer, read)


def tagged_command(config: Config, name: str, before: int | None) -> Command:
    """The command that reads the entries of a page of what stands under a hashtag."""
    return everybody.page_command(keys.tagged(name), config, before)


def tagged(
    db: Db,
    config: Config,
    name: str,
    before: int | None = None,
    viewer: int | None = None,
    read: Sequence[Any] | None = None,
) -> Timeline[Status]:
    """A page of what stands under a hashtag, by its folded name, newest first; as `public`."""
    return everybody.page(db, config, keys.tagged(name), before, viewer, read)


def profile(
    db: Db,
    config: Config,
    login: str,
    viewer: Member | None,
    before: int | None = None,
    replies: bool = False,
    boosts: bool = True,
    owner: int | None = None,
) -> tuple[Profile, Relation | None, Timeline[Item]]:
    """A member's profile with a page of their statuses and boosts, of which the pinned ones stand before the first, and
    not where they would else; and, for another member, their relation; without statuses where one blocks the other.
    `replies`: with what they answered to others, and nothing pinned. `owner`: whose name that is, where it is known:
    one trip less. At most four trips, and one more for quotes or what the viewer did just now. Where much of what is
    boosted is hidden a page may be short, and leads on. Raises NotFound; Forbidden when the member is suspended.
    """
    uid = owner or find_uid(db, login)
    related = viewer is not None and viewer.uid != uid
    reader = viewer.uid if viewer else 0
    want = config.page_size + 1 + config.pinned_max
    commands = [NEWEST, page_command(uid, before, want, replies, reader, related), pins_command(config, uid)]
    look = looked_at(config.page_size) if boosts else 0
    commands += [newest_command(uid, before, look), open_lists_command(uid), *profile_commands(uid)]
    if related:
        commands += relation_commands(reader, uid, config.familiar_sample)
    newest, statuses, pins, boosted, lists, *told = db.trip(*commands)
    shown = replace(_present(profile_from(uid, told[:PROFILE_PARTS])), lists=int(lists))
    follows = related and follows_from(told[PROFILE_PARTS:])
    between = Between(reader, follows=frozenset({uid} if follows else ()))
    pinned = () if replies else tuple(filter(between.sees, pins_from(shown.member, pins)))
    others = [one for one in page_from(shown.member, statuses, follows) if one not in pinned]
    passed_on = newest_from(uid, boosted) if between.sees_boosts(shown.member) else []
    end = passed_on[-1].id if passed_on and len(passed_on) == look else 0
    fixed = pinned if before is None else ()
    part = OnProfile(reader, uid, others, fixed, passed_on, end, config.page_size, want)
    ties, (items, acts, floor) = _on_profile(db, reader, uid, told[PROFILE_PARTS:], part)
    if not between_two(reader, uid, ties).asked(uid):
        return shown, ties, Timeline((), None, position_of(newest))
    page = replace(timeline(items, config.page_size, position_of(newest), acts, floor), pinned=fixed)
    return shown, ties, with_cards(db, reader, page)


def _on_profile(
    db: Db, reader: int, uid: int, related: Sequence[Any], part: OnProfile
) -> tuple[Relation | None, tuple[list[Item], Acts, int | None]]:
    """The relation in the replies to its commands, where these were sent, and what stands on the profile. A visitor has
    no trip left for more: to be the first takes two.
    """
    if related:
        ties, done, more = relation(db, uid, related, part.commands, part.more)
        return ties, part.read(done, more)
    done = db.trip(*part.commands)
    return None, part.read(done, db.trip(*part.more(done)) if reader else ())


def open_lists_command(uid: int) -> Command:
    """The command that counts the lists of a member that are not private."""
    return OPEN_LISTS([keys.lists(uid), keys.list_prefix(partition_of(uid))], uid)


def _present(profile: Profile | None) -> Profile:
    if profile is None:
        raise NotFound("no_member")
    if profile.member.suspended:
        raise Forbidden("suspended")
    return profile
