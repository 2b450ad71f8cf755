"""Reading timelines: home, public and profile. Each page is a fixed number of trips, whatever it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from .. import keys
from ..accounts.store import Member, find_uid
from ..config import Config
from ..db import Command, Db
from ..errors import Forbidden, NotFound
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
from ..paging import Page, below, cut
from ..scripts import script
from ..statuses.acts import NOBODYS, Acts
from ..statuses.boosts import (
    ONCE,
    Item,
    newest_command,
    newest_from,
    once,
)
from ..statuses.listed import page_command, page_from
from ..statuses.pins import pins_command, pins_from
from ..statuses.quotes import with_cards
from ..statuses.seeing import (
    Between,
    between_two,
    hidden_commands,
    hidden_from,
)
from ..statuses.status import Status
from ..statuses.visibility import Visibility
from . import reading, tags
from .boosted import OnProfile
from .merged import Merged
from .rebuild import rebuild

HOME = script("timelines/home.lua")
OPEN_LISTS = script("timelines/open_lists.lua")
NEWEST = ("XREVRANGE", keys.log(), "+", "-", "COUNT", 1)
PASSES_MAX = 6  # a rebuild, a look at all that is left, and what happens meanwhile
REBUILDS_MAX = 3  # of these passes; then what is there is shown


T = TypeVar("T", bound=Item)


@dataclass(frozen=True, slots=True)
class Timeline(Page[T], Generic[T]):
    """A page of statuses, on homes and profiles with boosts; `position`: the newest id in the log when it was read,
    from which a stream goes on; `acts`: what the reader did with them; `pinned`: what stands before a profile's first
    page.
    """

    position: str = "0-0"
    acts: Acts = NOBODYS
    pinned: tuple[Status, ...] = ()


def home_command(
    config: Config, uid: int, before: int | None, want: int, gone: Sequence[str], *session: str
) -> Command:
    """The command that reads a member's home; `session`: the key of who asks, where it is to be sent unproved."""
    p = partition_of(uid)
    names = [keys.home(uid), keys.following(uid), keys.active(p), keys.pulled(p), keys.suspended(p)]
    names += [keys.mutes(uid), keys.blocks(uid), keys.blockers(uid), keys.followed_tags(uid), keys.aside(uid), *session]
    return HOME(names, uid, below(before), want, config.home_max, ONCE, *gone)


def home(
    db: Db, config: Config, uid: int, before: int | None = None, read: tuple[Any, Any] | None = None
) -> Timeline[Item]:
    """A page of a member's home timeline, newest first: two trips, and two more each time something in it proves to be
    gone or missing; one more where something on it quotes another status, or for what the reader did just now, one
    when authors are merged of whom nothing was known, or who boost something, and one for followed tags that this
    process has not read just now. Never short while more exist, never a status that is deleted, or whose author is
    hidden or, unless for a tag, not followed (any more). `read`: the replies to NEWEST and to `home_command` for a
    page, where these were sent already: one trip less.
    """
    size = config.page_size
    want, everything = size + 1, config.home_max + config.home_slack
    gone, page, hidden = list[str](), list[Item](), set[int]()
    position, acts = "", NOBODYS
    for attempt in range(PASSES_MAX):
        newest, reply = read or db.trip(NEWEST, home_command(config, uid, before, want, gone))
        state, entries, pulled, names, around = reply
        read = None
        position = position or _position(newest)
        if state in ("absent", "cut") and attempt < REBUILDS_MAX:
            rebuild(db, config, uid)
            continue
        hidden.update(map(int, around))
        merged = Merged(db, config, [int(author) for author in pulled], before, size + 1)
        mixed = tags.Mixed(entries, tags.newest(db, config, names, before, want, hidden), state, want)
        found, acts, gone, left_out = reading.read(db, config, uid, mixed, merged)
        page = once(found)
        short = len(page) <= size < len(found)  # what is merged, or a tag brings, is boosted above it
        if not gone and (not (left_out or short) or want == everything):
            break
        if gone:
            tags.clean(db, names, gone)
        # Strangers to be hidden are left out of the same home; for anything else all that is left is looked at.
        if attempt or gone or short or left_out - mixed.strangers:
            want = everything
        else:
            read = newest, reply
        hidden |= left_out
    return _with_cards(db, uid, _timeline(page, size, position, acts))


def public(db: Db, config: Config, before: int | None = None, viewer: int | None = None) -> Timeline[Status]:
    """A page of the public timeline, newest first. Two trips; two more where somebody on it is hidden from them,
    one where something on it quotes another status.
    """
    return _of_nobody(db, config, keys.public(), config.public_max, before, viewer)


def tagged(db: Db, config: Config, name: str, before: int | None = None, viewer: int | None = None) -> Timeline[Status]:
    """A page of what stands under a hashtag, by its folded name, newest first; as `public`."""
    return _of_nobody(db, config, keys.tagged(name), config.tagged_max, before, viewer)


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
    one trip less. At most four trips, one more for quotes or what the viewer did just now, and more where hidden boosts
    would make the page short. Raises NotFound; Forbidden when the member is suspended.
    """
    uid = owner or find_uid(db, login)
    related = viewer is not None and viewer.uid != uid
    reader = viewer.uid if viewer else 0
    want = config.page_size + 1 + config.pinned_max
    commands = [NEWEST, page_command(uid, before, want, replies, reader, related), pins_command(config, uid)]
    commands += [newest_command(uid, before, want if boosts else 0), open_lists_command(uid), *profile_commands(uid)]
    if related:
        commands += relation_commands(reader, uid, config.familiar_sample)
    newest, statuses, pins, boosted, lists, *told = db.trip(*commands)
    shown = replace(_present(profile_from(uid, told[:PROFILE_PARTS])), lists=int(lists))
    follows = related and follows_from(told[PROFILE_PARTS:])
    between = Between(reader, follows=frozenset({uid} if follows else ()))
    pinned = () if replies else tuple(filter(between.sees, pins_from(shown.member, pins)))
    others = [one for one in page_from(shown.member, statuses, follows) if one not in pinned]
    boosted, fixed = boosted if between.sees_boosts(shown.member) else [], pinned if before is None else ()
    full, position = len(boosted) == 2 * want, _position(newest)
    part = OnProfile(reader, uid, others, fixed, newest_from(uid, boosted), full, config.page_size)
    ties, done = relation(db, uid, told[PROFILE_PARTS:], part.commands) if related else (None, db.trip(*part.commands))
    if not between_two(reader, uid, ties).asked(uid):
        return shown, ties, Timeline((), None, position)
    items, acts = part.read(db, done, before)
    page = replace(_timeline(items, config.page_size, position, acts), pinned=fixed)
    return shown, ties, _with_cards(db, reader, page)


def open_lists_command(uid: int) -> Command:
    """The command that counts the lists of a member that are not private."""
    return OPEN_LISTS([keys.lists(uid), keys.list_prefix(partition_of(uid))], uid)


def _present(profile: Profile | None) -> Profile:
    if profile is None:
        raise NotFound("no_member")
    if profile.member.suspended:
        raise Forbidden("suspended")
    return profile


def _of_nobody(db: Db, config: Config, key: str, most: int, before: int | None, viewer: int | None) -> Timeline[Status]:
    """Where somebody on a page is hidden from the viewer, all of its entries are asked for, and all who are hidden."""
    size = config.page_size
    want, look, found, position, acts = size + 1, size + 1, list[Status](), "", NOBODYS
    hidden, deeper = set[int](), list[Command]()
    for _ in range(PASSES_MAX):
        entries_command = ("ZRANGE", key, below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, look)
        newest, entries, *lists = db.trip(NEWEST, entries_command, *deeper)
        position = position or _position(newest)
        hidden |= hidden_from(lists).keys() if lists else set()
        there = [entry for entry in entries if tags.author_of(entry) not in hidden]
        items, acts, between = reading.fetch(db, config, viewer, there[:want])
        statuses = [one for one in items if isinstance(one, Status)]  # nobody boosts into these timelines
        out = [one for one in statuses if one.author.suspended or one.visibility is not Visibility.PUBLIC]
        hidden |= {one.author.uid for one in out}
        found = [one for one in statuses if one.author.uid not in hidden and between.unasked(one.author.uid)]
        gone = [entry for entry, one in zip(there, items, strict=False) if one is None]
        if not gone and (len(found) > size or (len(there) <= want and len(entries) < look)):
            break
        if gone:
            db.run(("ZREM", key, *gone))
        want, look, deeper = 2 * want, most + 1, hidden_commands(viewer) if viewer else []
    return _with_cards(db, viewer, _timeline(found, size, position, acts))


def _timeline(found: Sequence[T], size: int, position: str, acts: Acts = NOBODYS) -> Timeline[T]:
    page = cut([(one.id, one) for one in found], size)
    return Timeline(page.items, page.next, position, acts)


def _with_cards(db: Db, viewer: int | None, page: Timeline[T]) -> Timeline[T]:
    """The same with what its statuses quote."""
    return replace(page, acts=with_cards(db, viewer, (*page.pinned, *page.items), page.acts))


def _position(newest: Sequence[Any]) -> str:
    """The log id in a reply to NEWEST, which goes before what the page shows, in the same trip."""
    return str(newest[0][0]) if newest else "0-0"
