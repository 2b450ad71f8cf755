"""Read the tabs of a profile that list statuses with pictures, and statuses the member likes."""

from enum import Enum

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden
from webapp.core.store import Read, Site, Steps, ask, read, results_of, script
from webapp.core.web import max_bound, overfetch
from webapp.statuses import Entry, Item, Listing, Skeleton, Timeline, hydrate
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.listings.pipeline import page
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids, with_authors
from webapp.statuses.visibility.author_page import SCAN_MAX
from webapp.statuses.visibility.relationships import from_relation

from .head import ProfileHead, ProfilePage, profile_head, with_familiar

HYDRATED_PAGES = 2  # pages of statuses that are read: the viewer may not see some of them
READ_PICTURES = script("timelines/lua/read_pictures.lua")
Pictures = tuple[list[str], list[str], int]  # ids for the viewer, for followers, 1 if more follow


class Tab(Enum):
    """A tab that lists statuses by the ids in one sorted set of the member."""

    MEDIA = "media"
    LIKES = "likes"


def tab_page(
    site: Site, tab: Tab, uid: int, viewer: Member | None, before: int | None = None
) -> ProfilePage:
    """Return the profile of `uid` with a page of a tab below the cursor `before`, newest first.

    Three trips, four with quote cards or recent counts. A page may be short if much of it is not
    for the viewer; `next` then continues. It is empty if one of both blocks the other. Only
    followers of a protected member see likes. Raises NotFound; Forbidden if the member is
    suspended, or hides their likes.
    """
    viewer_uid, limit = viewer.uid if viewer else 0, overfetch(site.config.page_size)
    ids: Read[ScoredIds | Pictures] = (
        _pictures(uid, viewer_uid, before, limit)
        if tab is Tab.MEDIA
        else newest_ids(interaction_keys.member_likes(uid), before, limit)
    )
    head, found = site.db.fetch(profile_head(site.config, uid, viewer_uid), ids)
    if tab is Tab.LIKES and head.profile.about.likes_hidden and viewer_uid != uid:
        raise Forbidden("likes_hidden")
    shown_page, shown_relation = results_of(
        site.db,
        _timeline(site.config, tab, head, found, viewer_uid),
        with_familiar(head.relation, uid),
    )
    return ProfilePage(head.profile, shown_relation, shown_page)


def _timeline(
    config: Config, tab: Tab, head: ProfileHead, found: ScoredIds | Pictures, viewer: int
) -> Steps[Timeline[Item]]:
    """Return the page of the tab. Two steps, three with quote cards or recent counts."""
    member, size = head.profile.member, config.page_size
    relationship = from_relation(viewer, member.uid, head.relation)
    is_protected = not relationship.may_see_boosts_by(member)  # from the viewer
    if not relationship.visible_on_request(member.uid) or (is_protected and tab is Tab.LIKES):
        return Timeline(())
    if isinstance(found, dict):
        skeleton = yield from ask(with_authors(found, overfetch(size)))
    else:
        skeleton = _seen_pictures(member.uid, found, head.viewer_follows)
    listing: Listing[Entry, Item] = Listing(
        lambda entries, _: hydrate(entries, viewer or None),
        lambda found: found.visible_on_profile(member.uid),
        (HYDRATED_PAGES * size,),
    )
    return (yield from page(listing, skeleton, viewer, size))


def _pictures(uid: int, viewer: int, before: int | None, limit: int) -> Read[Pictures]:
    """Read the newest ids of statuses with pictures, `limit` for the viewer at most."""
    bound = max_bound(before)
    return read(
        READ_PICTURES(uid=uid, viewer=viewer, bound=bound, limit=limit, scan_max=SCAN_MAX),
        lambda reply: (reply[0], reply[1], reply[2]),
    )


def _seen_pictures(uid: int, found: Pictures, is_follower: bool) -> Skeleton[Entry]:
    """Return the entries that the viewer may see.

    The cursor of the next page is one of them, so that it tells of no other. Therefore the tab ends
    after SCAN_MAX entries in a row that are not for the viewer.
    """
    for_viewer, for_followers, is_cut = found
    ids = sorted(map(int, [*for_viewer, *(for_followers if is_follower else ())]), reverse=True)
    return Skeleton([(one, uid) for one in ids], ids[-1] if ids and is_cut else None)
