"""Popular posts at home, for members who follow nobody yet."""

from webapp.core.store import Site, read, results_of
from webapp.core.web import Page
from webapp.following import keys as following_keys
from webapp.statuses import FilterSet, Item, Skeleton, Status, Timeline
from webapp.statuses.listings.pipeline import incomplete_page, page
from webapp.timelines.entries import poster_of
from webapp.timelines.home.snapshot import HomeSnapshot
from webapp.timelines.home.stored_home import HomeState
from webapp.timelines.shared import shared_listing

from .store import hot_entries


def popular_posts(
    site: Site, snapshot: HomeSnapshot, own: Page[Item], filters: FilterSet, language: str
) -> Timeline[Status] | None:
    """Return popular posts by others for a member who follows nobody; None for anyone else.

    In `language`, if there are enough. No trip if the home shows that the member follows someone.
    Otherwise two, and one more for quote cards unless the member has posts of their own (`own`).
    """
    if not _may_follow_nobody(snapshot):
        return None
    uid, size = snapshot.uid, site.config.page_size
    follows, in_language, in_any = site.db.fetch(
        read(("ZCARD", following_keys.following(uid)), int),
        hot_entries(site.config, language=language),
        hot_entries(site.config),
    )
    if follows:
        return None
    found = in_language if len(in_language.entries) >= size else in_any
    others = Skeleton([entry for entry in found.entries if poster_of(entry) != uid])
    listing = shared_listing(site, uid, 2 * size)
    if own.items:
        return results_of(site.db, incomplete_page(listing, others, size, filters))[0]
    return results_of(site.db, page(listing, others, uid, size, filters))[0]


def _may_follow_nobody(snapshot: HomeSnapshot) -> bool:
    """Return False if a home shows that its member follows someone or a hashtag."""
    home = snapshot.home
    if snapshot.before is not None or home.sources.tags or home.sources.authors:
        return False
    if home.rebuild:
        return not home.rebuild.followed_uids
    is_own = (poster_of(entry) == snapshot.uid for entry in home.entries)
    return home.state is HomeState.END and all(is_own)
