"""Read the tabs of a profile that list statuses with pictures, and statuses the member likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, gather, read
from webapp.core.web.pagination import max_bound, overfetch, paginate
from webapp.following.profiles import Profile, profile
from webapp.following.relations import Relation, familiar_members, familiar_uids, relation
from webapp.statuses import keys as status_keys
from webapp.statuses.hydration import Hydrated, hydrate
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.items import Item, status_of
from webapp.statuses.lookup import Entry, entries_of
from webapp.statuses.visibility.relationships import from_relation
from webapp.timelines.profile import ProfilePage, public_list_count, require_profile
from webapp.timelines.timeline import Timeline, completed

HYDRATED_PAGES = 2  # pages of statuses that are read: the viewer may not see some of them


class Tab(Enum):
    """A tab that lists statuses by the ids in one sorted set of the member."""

    MEDIA = "media"
    LIKES = "likes"


LIST_KEYS: dict[Tab, Callable[[int], str]] = {
    Tab.MEDIA: status_keys.profile_media,
    Tab.LIKES: interaction_keys.member_likes,
}


@dataclass(frozen=True, slots=True)
class _Stored:
    """The results of the first trip. `cursors`: by status id, newest first."""

    cursors: dict[int, int]
    list_count: int
    profile: Profile
    relation: Relation | None


def tab_page(
    db: Db, config: Config, tab: Tab, uid: int, viewer: Member | None, before: int | None = None
) -> ProfilePage:
    """Return the profile of `uid` with a page of a tab below the cursor `before`, newest first.

    Three trips, four with quote cards or recent counts. A page may be short if much of it is not
    for the viewer; `next` then continues. It is empty if one of both blocks the other. Only
    followers of a protected member see likes. Raises NotFound; Forbidden if the member is
    suspended, or hides their likes.
    """
    viewer_uid = viewer.uid if viewer else 0
    stored = db.read(_stored(config, tab, uid, viewer_uid, before))
    if tab is Tab.LIKES and stored.profile.about.likes_hidden and viewer_uid != uid:
        raise Forbidden("likes_hidden")
    entries, familiar = db.fetch(
        entries_of(list(stored.cursors)),
        familiar_uids(stored.relation, uid) if stored.relation else constant([]),
    )
    first = entries[: HYDRATED_PAGES * config.page_size]
    found, members = db.fetch(hydrate(first, viewer_uid or None), familiar_members(familiar))
    shown_relation = stored.relation and stored.relation.with_familiar(familiar, members)
    profile_with_lists = replace(stored.profile, lists=stored.list_count)
    page: Timeline[Item] = Timeline(())
    if _is_open(tab, stored, viewer_uid):
        page = _page(config, uid, stored.cursors, entries, first, found)
    return ProfilePage(profile_with_lists, shown_relation, db.read(completed(viewer_uid, page)))


def _stored(config: Config, tab: Tab, uid: int, viewer: int, before: int | None) -> Read[_Stored]:
    relation_read: Read[Relation | None] = constant(None)
    if viewer not in (0, uid):
        relation_read = relation(viewer, uid, config.familiar_sample)
    return gather(
        _newest(LIST_KEYS[tab](uid), before, overfetch(config.page_size)),
        public_list_count(uid),
        profile(uid).map(require_profile),
        relation_read,
    ).map(lambda results: _Stored(*results))


def _newest(key: str, before: int | None, limit: int) -> Read[dict[int, int]]:
    """Read the newest ids of a list with their scores."""
    newest = ("ZRANGE", key, max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, limit)

    def parse(reply: list[str]) -> dict[int, int]:
        return dict(zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True))

    return read((*newest, "WITHSCORES"), parse)


def _is_open(tab: Tab, stored: _Stored, viewer: int) -> bool:
    """Return True if neither blocks the other, and the viewer may see the member's likes."""
    member = stored.profile.member
    relationship = from_relation(viewer, member.uid, stored.relation)
    if not relationship.visible_on_request(member.uid):
        return False
    return tab is Tab.MEDIA or relationship.may_see_boosts_by(member)


def _page(
    config: Config,
    uid: int,
    cursors: dict[int, int],
    entries: Sequence[Entry],
    first: Sequence[Entry],
    found: Hydrated,
) -> Timeline[Item]:
    """Return the page. Its cursor is the last entry that was read, if more follow."""
    last_read = first[-1][0] if len(first) < len(entries) else None
    if last_read is None and len(cursors) == overfetch(config.page_size):
        last_read = list(cursors)[-1]
    scanned_to = cursors[last_read] if last_read else None
    may_show = found.relationship.is_visible_in_timelines
    visible = [
        (cursors[status_of(item).id], item) for item in found.items if item and may_show(item, uid)
    ]
    cut = paginate(visible, config.page_size, scanned_to)
    return Timeline(cut.items, cut.next, viewer_state=found.viewer_state)
