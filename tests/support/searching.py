"""Posts that a search finds."""

from tests.support import paging
from webapp.accounts import store as accounts
from webapp.core.search.syntax import parse
from webapp.core.store import Site
from webapp.search import posts as search


def latest(site: Site, query: str, viewer: int = 0) -> list[int]:
    """Return the ids of all pages of a query, newest first."""
    member = site.db.read(accounts.get(viewer)) if viewer else None
    plan = parse(query).plan
    ids = paging.ids(lambda before: search.search_latest(site, plan, member, before).page)
    assert ids == sorted(set(ids), reverse=True)
    return ids


def own(site: Site, query: str, viewer: int) -> list[int]:
    """Return the ids that a member finds among their own posts and bookmarks."""
    member = site.db.read(accounts.get(viewer))
    assert member
    page = search.search_own(site, parse(query).plan, member).page
    return [status.id for status in page.items]
