"""Posts that a search finds."""

from itertools import count

from webapp.accounts import store as accounts
from webapp.core.search.syntax import parse
from webapp.core.store import Site
from webapp.core.text.parser import parse as parse_text
from webapp.search import posts as search
from webapp.statuses import store as statuses

_form_keys = count()


def post(site: Site, uid: int, text: str, **options: object) -> int:
    """Post a text and return its id."""
    form_key = f"form-{next(_form_keys)}"
    return statuses.post(site, uid, parse_text(text), form_key, **options)  # type: ignore[arg-type]


def latest(site: Site, query: str, viewer: int = 0) -> list[int]:
    """Return the ids of all pages of a query, newest first."""
    member = site.db.read(accounts.get(viewer)) if viewer else None
    ids: list[int] = []
    before = None
    while True:
        page = search.search_latest(site, parse(query).plan, member, before).page
        ids += [status.id for status in page.items]
        before = page.next
        if before is None:
            assert ids == sorted(set(ids), reverse=True)
            return ids


def own(site: Site, query: str, viewer: int) -> list[int]:
    """Return the ids that a member finds among their own posts and bookmarks."""
    member = site.db.read(accounts.get(viewer))
    assert member
    page = search.search_own(site, parse(query).plan, member).page
    return [status.id for status in page.items]
