"""Reading a member's profile: the member, and a page of their posts and boosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import current_position
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Read, constant, gather, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import overfetch
from webapp.following.profiles import Profile, profile
from webapp.following.relations import Relation, familiar_members, familiar_uids, relation
from webapp.lists import keys as list_keys
from webapp.statuses.boost_refs import BoostRef, newest_boosts
from webapp.statuses.edits.pins import pinned
from webapp.statuses.items import Item
from webapp.statuses.status import Status, StoredStatus
from webapp.statuses.visibility.author_page import AuthorPage, author_page
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import from_relation

from .profile_items import ProfileItems, ProfileMix, further_items, profile_items
from .timeline import Timeline, completed, timeline_page

COUNT_PUBLIC_LISTS = script("timelines/lua/count_public_lists.lua")


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """A member's profile, the viewer's relation to another member, and a page of the timeline."""

    profile: Profile
    relation: Relation | None
    timeline: Timeline[Item]


@dataclass(frozen=True, slots=True)
class _StoredProfile:
    """The results of the first trip. `relation`: None for visitors, and on one's own profile."""

    position: str
    statuses: AuthorPage
    pinned: tuple[StoredStatus, ...]
    boosts: Sequence[BoostRef]
    list_count: int
    profile: Profile
    relation: Relation | None


def profile_page(
    db: Db,
    config: Config,
    login: str,
    viewer: Member | None,
    before: int | None = None,
    with_replies: bool = False,
    with_boosts: bool = True,
    owner: int | None = None,
) -> ProfilePage:
    """Return the profile of a login, with a page of statuses and boosts below `before`.

    Pinned statuses come before the first page; they are left out below. `with_replies`: with
    replies to others, and nothing pinned. `owner`: the uid of the login, if it is known.

    At most four trips, one more without `owner`, and one more for quote cards or recent counts. A
    page may be short if many boosts are hidden; `next` then continues. If one of both blocks the
    other there are no statuses. Raises NotFound; Forbidden if the member is suspended.
    """
    uid = owner or db.read(accounts.uid_by_login(login))
    viewer_uid = viewer.uid if viewer else 0
    boosts_limit = overfetch(config.page_size) if with_boosts else 0
    stored = db.read(_stored_profile(config, uid, viewer_uid, before, with_replies, boosts_limit))
    mix = _mix(config, stored, viewer_uid, before, with_replies, boosts_limit)
    viewer_relation, found = _load_items(db, config, stored, mix)
    owner_profile = replace(stored.profile, lists=stored.list_count)
    if not from_relation(viewer_uid, uid, viewer_relation).visible_on_request(uid):
        hidden: Timeline[Item] = Timeline((), None, stored.position)
        return ProfilePage(owner_profile, viewer_relation, hidden)
    page = timeline_page(
        found.items, config.page_size, stored.position, found.viewer_state, found.floor or None
    )
    page = replace(page, pinned=tuple(mix.pinned))
    return ProfilePage(owner_profile, viewer_relation, db.read(completed(viewer_uid, page)))


def _stored_profile(
    config: Config,
    uid: int,
    viewer: int,
    before: int | None,
    with_replies: bool,
    boosts_limit: int,
) -> Read[_StoredProfile]:
    """Read the parts that do not depend on other replies. `viewer`: 0 for a visitor."""
    is_other_member = viewer not in (0, uid)
    relation_read: Read[Relation | None] = constant(None)
    if is_other_member:
        relation_read = relation(viewer, uid, config.familiar_sample)
    return gather(
        current_position(),
        author_page(
            uid, before, _fetch_size(config), with_replies, viewer, is_follower=is_other_member
        ),
        pinned(config, uid),
        newest_boosts(uid, before, boosts_limit),
        public_list_count(uid),
        profile(uid).map(require_profile),
        relation_read,
    ).map(lambda results: _StoredProfile(*results))


def public_list_count(uid: int) -> Read[int]:
    """Read how many lists of a member are not private."""
    prefix = list_keys.list_.prefix(partition_of(uid))
    return read(COUNT_PUBLIC_LISTS(list_prefix=prefix, uid=uid), int)


def _mix(
    config: Config,
    stored: _StoredProfile,
    viewer: int,
    before: int | None,
    with_replies: bool,
    boosts_limit: int,
) -> ProfileMix:
    """Return the part of the stored profile that the viewer may see, before its boosts are read."""
    member = stored.profile.member
    follows = stored.relation is not None and stored.relation.following
    relationship = Relationship(viewer, follows=frozenset({member.uid} if follows else ()))
    pins: tuple[Status, ...] = ()
    if not with_replies:
        loaded = (status.with_author(member) for status in stored.pinned)
        pins = tuple(pin for pin in loaded if pin and relationship.may_see_status(pin))
    boosts = stored.boosts if relationship.may_see_boosts_by(member) else ()
    return ProfileMix(
        viewer=viewer,
        uid=member.uid,
        posts=[
            status
            for status in stored.statuses.statuses(member, is_follower=follows)
            if status not in pins
        ],
        posts_complete_to=stored.statuses.complete_to(follows),
        pinned=pins if before is None else (),
        boosts=boosts,
        boosts_complete_to=boosts[-1].id if boosts and len(boosts) == boosts_limit else 0,
        size=config.page_size,
    )


def _load_items(
    db: Db, config: Config, stored: _StoredProfile, mix: ProfileMix
) -> tuple[Relation | None, ProfileItems]:
    """Return the relation with familiar followers, and the items. At most two trips.

    A visitor's page takes one: as the first visitor's page it takes two trips elsewhere.
    """
    first = profile_items(mix, _fetch_size(config))
    if stored.relation is None:
        found = db.read(first)
        return None, db.read(further_items(mix, found)) if mix.viewer else found
    found, uids = db.fetch(first, familiar_uids(stored.relation, mix.uid))
    found, members = db.fetch(further_items(mix, found), familiar_members(uids))
    return stored.relation.with_familiar(uids, members), found


def _fetch_size(config: Config) -> int:
    """Return how many statuses to read: a page, one more, and those that may be pinned."""
    return config.page_size + 1 + config.pinned_max


def is_hidden_from(viewer: Member | None, page: ProfilePage) -> bool:
    """Return True if only followers see the member's statuses, and the viewer is not one."""
    member = page.profile.member
    follows = page.relation is not None and page.relation.following
    is_own = viewer is not None and viewer.uid == member.uid
    return member.protected and not is_own and not follows


def require_profile(found: Profile | None) -> Profile:
    """Return the profile. Raises NotFound; Forbidden if the member is suspended."""
    if found is None:
        raise NotFound("no_member")
    if found.member.suspended:
        raise Forbidden("suspended")
    return found
