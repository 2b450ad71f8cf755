"""Making and changing groups, and who belongs to them.

A group's own partition decides in one script. Its members' own lists are projected from it.
"""

from typing import Literal

from webapp.chat.ids import digest
from webapp.core.bans.texts import check_texts
from webapp.core.errors import Conflict, Forbidden
from webapp.core.store import Site, script
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind

from . import keys
from .invitations import store as invitations
from .models import HomeChoice, Voting

CREATE = script("community/groups/lua/create.lua")
EDIT = script("community/groups/lua/edit.lua")
JOIN = script("community/groups/lua/join.lua")
ANSWER = script("community/groups/lua/answer.lua")
LEAVE = script("community/groups/lua/leave.lua")
REMOVE = script("community/groups/lua/remove.lua")
SET_OWNER = script("community/groups/lua/set_owner.lua")
SET_HOME = script("community/groups/lua/set_home.lua")
CLOSE = script("community/groups/lua/close.lua")
CLAIM_SECONDS = 600  # for which an address waits for its group


def create(
    site: Site, uid: int, slug: str, name: str, about: str, kind: GroupKind, voting: Voting
) -> int:
    """Make a group at an address and return its number. Five trips.

    Doing it again with the same values returns the group that is there. A crash between the steps
    leaves an address that is free again after CLAIM_SECONDS. Raises Conflict (the address is taken,
    by another group of one's own too, or GROUPS_MAX reached), RefusedText.
    """
    check_texts(site.config, slug, name, about)
    _require_place(site, uid)
    gid = _claim(site, uid, slug)
    site.run(
        CREATE,
        gid=gid,
        uid=uid,
        slug=slug,
        name=name,
        about=about,
        kind=kind.value,
        voting=voting.value,
    )
    site.db.run(("PERSIST", keys.group_slug(slug)))  # not only once a worker comes to it
    return gid


def _claim(site: Site, uid: int, slug: str) -> int:
    """Return the number of the member's group at an address, which it takes. Two trips."""
    number = site.db.run(("INCR", keys.last_group_id()))
    claim = ("SET", keys.group_slug(slug), f"{number}:{uid}", "NX", "GET", "EX", CLAIM_SECONDS)
    gid, _, owner = (site.db.run(claim) or f"{number}:{uid}").partition(":")
    if int(owner) != uid:
        raise Conflict("slug_taken")
    return int(gid)


def edit(
    site: Site,
    uid: int,
    gid: int,
    name: str,
    about: str,
    rules: str,
    voting: Voting,
    picture: str | None = None,
) -> None:
    """Change a group, as an owner. One trip. Raises NotFound, Forbidden, RefusedText, Unavailable.

    `picture`: the name of a stored one, "" for none, None for no change.
    """
    check_texts(site.config, name, about, rules)
    fields = {"name": name, "about": about, "rules": rules, "voting": voting.value}
    if picture is not None:
        fields["picture"] = picture
    site.run(EDIT, gid=gid, uid=uid, fields=fields)


def join(site: Site, uid: int, gid: int, secret: str = "") -> bool:
    """Join a group, or ask to. Return True for a member now. Three trips, seven if invited.

    `secret`: of a link that leads into it. An invitation by name ends if its maker may not let the
    member in. Raises NotFound; Forbidden (banned, or the link has ended); Conflict (the group, its
    requests or the member's own list are full).
    """
    _require_place(site, uid)
    sha = digest(secret) if secret else ""
    target = sha or f"@{uid}"
    if not invitations.holds(site.db, uid, gid, target):
        if sha:
            raise Forbidden("group_invite_bad")
        invitations.end(site, uid, gid, target)
    return bool(site.run(JOIN, gid=gid, uid=uid, sha=sha))


def answer(site: Site, uid: int, gid: int, target: int, accept: bool) -> None:
    """Let a member in who has asked, or refuse, as an owner. One trip.

    Raises NotFound, Forbidden, Conflict (the group is full).
    """
    site.run(ANSWER, gid=gid, uid=uid, target=target, accept="1" if accept else "")


def leave(site: Site, uid: int, gid: int) -> bool:
    """Leave a group, or take back a request. Return True for who was a member. One trip.

    Raises NotFound, Conflict (the last owner).
    """
    return bool(site.run(LEAVE, gid=gid, uid=uid))


def set_home(site: Site, uid: int, gid: int, choice: HomeChoice) -> None:
    """Choose what a member's home shows of a group. One trip. Raises Forbidden."""
    site.run(SET_HOME, uid=uid, gid=gid, choice=choice.value)


def visit(site: Site, uid: int, gid: int) -> None:
    """Let the count of new posts in a member's home begin now, if it shows one. One trip."""
    site.run(SET_HOME, uid=uid, gid=gid, choice="visit")


def remove(
    site: Site,
    uid: int,
    gid: int,
    target: int,
    act: Literal["remove", "ban", "unban"],
    posts_too: bool = False,
) -> None:
    """Remove a member, for good with "ban", or let one back, as an owner. One trip.

    Membership and request end in one step. `posts_too`: so does the place of their posts on the
    timeline. Raises NotFound; Forbidden, also for an owner.
    """
    flag = "1" if posts_too else ""
    site.run(REMOVE, gid=gid, uid=uid, target=target, act=act, posts_too=flag)


def set_owner(site: Site, uid: int, gid: int, target: int, is_owner: bool) -> None:
    """Make a member an owner, or stop being one. One trip.

    Raises NotFound, Forbidden, Conflict (GROUP_OWNERS_MAX, or the last owner).
    """
    site.run(SET_OWNER, gid=gid, uid=uid, target=target, owner="1" if is_owner else "")


def close(site: Site, uid: int, gid: int) -> None:
    """Close a group for good, as an owner. One trip. Raises NotFound, Forbidden."""
    site.run(CLOSE, gid=gid, uid=uid)


def _require_place(site: Site, uid: int) -> None:
    """Raise Conflict if a member has GROUPS_MAX groups. One trip.

    Their own list is projected, so a few joins at once may get past it.
    """
    if int(site.db.run(("ZCARD", group_keys.groups(uid)))) >= site.config.groups_max:
        raise Conflict("groups_full")
