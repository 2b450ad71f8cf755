"""Read the tabs of a profile that list statuses with pictures, and statuses the member likes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden
from webapp.core.store import Site, Steps, ask, results_of
from webapp.core.web.pagination import overfetch
from webapp.statuses import keys as status_keys
from webapp.statuses.hydration import hydrate
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import Listing, page
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids, with_authors
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry
from webapp.statuses.visibility.relationships import from_relation

from .head import ProfileHead, ProfilePage, profile_head, with_familiar

HYDRATED_PAGES = 2  # pages of statuses that are read: the viewer may not see some of them


class Tab(Enum):
    """A tab that lists statuses by the ids in one sorted set of the member."""

    MEDIA = "media"
    LIKES = "likes"


LIST_KEYS: dict[Tab, Callable[[int], str]] = {
    Tab.MEDIA: status_keys.profile_media,
    Tab.LIKES: interaction_keys.member_likes,
}


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
    head, ids = site.db.fetch(
        profile_head(site.config, uid, viewer_uid), newest_ids(LIST_KEYS[tab](uid), before, limit)
    )
    if tab is Tab.LIKES and head.profile.about.likes_hidden and viewer_uid != uid:
        raise Forbidden("likes_hidden")
    shown_page, shown_relation = results_of(
        site.db,
        _timeline(site.config, tab, head, ids, viewer_uid),
        with_familiar(head.relation, uid),
    )
    return ProfilePage(head.profile, shown_relation, shown_page)


def _timeline(
    config: Config, tab: Tab, head: ProfileHead, ids: ScoredIds, viewer: int
) -> Steps[Timeline[Item]]:
    """Return the page of the tab. Two steps, three with quote cards or recent counts."""
    member, size = head.profile.member, config.page_size
    relationship = from_relation(viewer, member.uid, head.relation)
    is_protected = not relationship.may_see_boosts_by(member)  # from the viewer
    if not relationship.visible_on_request(member.uid) or (is_protected and tab is Tab.LIKES):
        return Timeline(())
    skeleton = yield from ask(with_authors(ids, overfetch(size)))
    listing: Listing[Entry, Item] = Listing(
        lambda entries, _: hydrate(entries, viewer or None),
        lambda found: found.visible_on_profile(member.uid),
        (HYDRATED_PAGES * size,),
    )
    found = yield from page(listing, skeleton, viewer, size)
    # Where nothing is shown, another page would say that there are more pictures, and of when.
    return replace(found, next=None) if is_protected and not found.items else found
