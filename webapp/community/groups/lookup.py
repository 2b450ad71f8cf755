"""Finding groups: by address, those of a member, and those that anyone may find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.chat.members.invitations import parse_invite
from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, collect, constant, gather, read, read_numbers
from webapp.core.text.folding import fold
from webapp.core.web import Page
from webapp.following.member_pages import uid_page
from webapp.reports.listing import count_in_group
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind, memberships

from . import keys
from .models import Group, HomeChoice, Voting

FIELDS = ("slug", "name", "about", "rules", "kind", "voting", "picture", "chat")
FOUND_MAX = 50  # groups that the page of groups shows besides the member's own


@dataclass(frozen=True, slots=True)
class GroupsPage:
    """The groups that a member is invited to and belongs to, and the largest others."""

    invited: tuple[Group, ...]
    own: tuple[Group, ...]
    found: tuple[Group, ...]


def gid_of(slug: str) -> Read[int]:
    """Read the number of the group at an address. Raises NotFound."""

    def parse(claim: str | None) -> int:
        if claim is None:
            raise NotFound("no_group")
        return int(claim.partition(":")[0])

    return read(("GET", keys.group_slug(slug)), parse)


def group(gid: int, viewer: int | None) -> Read[Group]:
    """Read a group, and what a viewer (None: a visitor) is in it. Raises NotFound."""
    return group_if_any(gid, viewer).map(lambda found: NotFound.unless(found, "no_group"))


def group_if_any(gid: int, viewer: int | None) -> Read[Group | None]:
    """Read a group, and what a viewer is in it, as `group` does; None if it is gone."""
    uid = viewer or 0
    commands = (
        ("HMGET", group_keys.group(gid), *FIELDS),
        ("ZCARD", group_keys.group_members(gid)),
        ("ZSCORE", group_keys.group_members(gid), uid),
        ("SISMEMBER", group_keys.group_owners(gid), uid),
        ("ZSCORE", keys.group_requests(gid), uid),
        ("ZSCORE", keys.group_banned(gid), uid),
        ("ZCARD", keys.group_requests(gid)),
        ("ZSCORE", group_keys.groups(uid), gid),
    )

    def parse(found: tuple[Sequence[Any], bool, int]) -> Group | None:
        (fields, size, joined, is_owner, asked, banned, requests, shown), invited, reports = found
        built = _build(gid, fields, size, bool(is_owner), requests, reports)
        return built and replace(
            built,
            is_member=joined is not None,
            has_asked=asked is not None,
            is_banned=banned is not None,
            home=_home_choice(shown),
            is_invited=joined is None and invited,
        )

    reports = count_in_group(gid) if viewer else constant(0)
    return gather(Read(commands, tuple[Any, ...]), _is_invited(gid, uid), reports).map(parse)


def groups_page(db: Db, uid: int) -> GroupsPage:
    """Return the groups that the page of groups shows a member (0: a visitor). Two trips."""
    own, invited_to, largest = db.fetch(
        read_numbers(("ZRANGE", group_keys.groups(uid), 0, -1)),
        read_numbers(("ZRANGE", keys.invited_to(uid), 0, -1)),
        read_numbers(("ZRANGE", keys.group_directory(), 0, FOUND_MAX - 1, "REV")),
    )
    cards, joined, invitations = db.fetch(
        _cards(dict.fromkeys([*own, *invited_to, *largest]), uid),
        memberships(uid, own),
        collect(_is_invited(gid, uid) for gid in invited_to),
    )
    invited = {gid for gid, valid in zip(invited_to, invitations, strict=True) if valid} - joined
    by_number = {one.gid: one for one in cards}
    others = [gid for gid in largest if gid not in joined | invited]
    return GroupsPage(
        tuple(by_number[gid] for gid in invited_to if gid in invited and gid in by_number),
        tuple(sorted((by_number[gid] for gid in joined if gid in by_number), key=_by_name)),
        tuple(by_number[gid] for gid in others if gid in by_number),
    )


def groups_with(db: Db, text: str) -> tuple[Group, ...]:
    """Return the largest groups that have all words of a text in name, address or topic.

    Three trips, two for no words.
    """
    words = fold(text).split()
    last = -1 if words else FOUND_MAX - 1
    gids = db.read(read_numbers(("ZRANGE", keys.group_directory(), 0, last, "REV")))
    if not words:
        return tuple(db.read(_cards(gids)))
    commands = (("HMGET", group_keys.group(gid), "name", "slug", "about") for gid in gids)
    texts = db.read(collect(read(command, _words_of) for command in commands))
    pairs = zip(gids, texts, strict=True)
    found = [gid for gid, own in pairs if all(word in own for word in words)]
    return tuple(db.read(_cards(found[:FOUND_MAX])))


def members_page(
    db: Db, gid: int, before: int | None, size: int
) -> tuple[Page[Member], frozenset[int]]:
    """Return a page of members, the newest first, and the uids of all owners. Two trips."""
    found, owners = db.fetch(
        uid_page(group_keys.group_members(gid), before, size),
        read(("SMEMBERS", group_keys.group_owners(gid)), lambda uids: frozenset(map(int, uids))),
    )
    return Page(_active(db.read(accounts.get_many(found.scores))), found.next), owners


def asking(db: Db, gid: int, size: int) -> tuple[Member, ...]:
    """Return the first members who ask to join. Two trips.

    Suspended ones leave the list as deleted ones do: if they are restored, they ask again.
    """
    return _listed(db, keys.group_requests(gid), size, forgets_suspended=True)


def banned(db: Db, gid: int, size: int) -> tuple[Member, ...]:
    """Return the members who may not come back, those who were banned last first. Two trips."""
    return _listed(db, keys.group_banned(gid), size, "REV")


def _listed(
    db: Db, key: str, size: int, *order: str, forgets_suspended: bool = False
) -> tuple[Member, ...]:
    """Return the first members of a list. Deleted ones leave it: a third trip if there are any."""
    uids = db.read(read_numbers(("ZRANGE", key, 0, size - 1, *order)))
    members = db.read(accounts.get_many(uids))
    active = _active(members)
    kept = {one.uid for one in active} if forgets_suspended else members.keys()
    if gone := set(uids) - kept:
        db.run(("ZREM", key, *gone))
    return active


def _active(members: Mapping[int, Member]) -> tuple[Member, ...]:
    return tuple(member for member in members.values() if not member.suspended)


def _home_choice(score: str | None) -> HomeChoice:
    if score in (None, "0"):
        return HomeChoice.NOTHING
    return HomeChoice.POSTS if score == "1" else HomeChoice.DIGEST


def _words_of(fields: Sequence[str | None]) -> str:
    return fold(" ".join(filter(None, fields)))


def _by_name(group: Group) -> str:
    return group.name.lower()


def _is_invited(gid: int, uid: int) -> Read[bool]:
    """Read whether an invitation by name leads a member into a group.

    One to a closed group ends with the right of the owner who made it.
    """

    def parse(found: tuple[str | None, str | None, Sequence[str]]) -> bool:
        stored, kind, owners = found
        if not stored:
            return False
        invite, is_closed = parse_invite("", stored), kind == GroupKind.CLOSED.value
        return invite.is_valid and (not is_closed or str(invite.creator_uid) in owners)

    return gather(
        read(("HGET", keys.group_invitations(gid), f"@{uid}"), lambda found: found),
        read(("HGET", group_keys.group(gid), "kind"), lambda found: found),
        read(("SMEMBERS", group_keys.group_owners(gid)), list),
    ).map(parse)


def _cards(gids: Iterable[int], owner: int = 0) -> Read[list[Group]]:
    """Read groups as a list shows them, without those that are gone.

    Those of an `owner` with the requests and reports that wait for them.
    """

    def card(gid: int) -> Read[Group | None]:
        found = gather(
            read(("HMGET", group_keys.group(gid), *FIELDS), list[Any]),
            read(("ZCARD", group_keys.group_members(gid)), int),
            read(("SISMEMBER", group_keys.group_owners(gid), owner), bool),
            read(("ZCARD", keys.group_requests(gid)), int),
            count_in_group(gid) if owner else constant(0),
        )
        return found.map(lambda parts: _build(gid, *parts))

    return collect(map(card, gids)).map(lambda found: [one for one in found if one])


def _build(
    gid: int,
    fields: Sequence[str | None],
    size: int,
    is_owner: bool = False,
    requests: int = 0,
    reports: int = 0,
) -> Group | None:
    slug, name, about, rules, kind, voting, picture, chat = fields
    if not (slug and name and kind):
        return None
    return Group(
        gid=gid,
        slug=slug,
        name=name,
        kind=GroupKind(kind),
        is_member=False,
        is_owner=is_owner,
        about=about or "",
        rules=rules or "",
        voting=Voting(voting or ""),
        size=size,
        picture=picture or "",
        has_chat=bool(chat),
        requests=requests if is_owner else 0,
        reports=reports if is_owner else 0,
    )
