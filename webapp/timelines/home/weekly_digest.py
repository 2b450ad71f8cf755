"""Periodic job: queue the weekly digests of the members who want one.

Reading a home keeps it, as a visit does: a digest shows what the member would find there.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

from webapp.accounts.email.digests import WEEK, due_members, queue_digest
from webapp.core.errors import NotFound
from webapp.core.logs import going_on
from webapp.core.store import Site
from webapp.statuses import FilterSet, Status, filters_of, status_of
from webapp.timelines.home_page import home_page
from webapp.timelines.page_invalidation.paths import status_path

from .snapshot import home_snapshot

BATCH = 2  # members of one run: events of the partition wait meanwhile
READ = 100  # the newest posts of a home, of which the digest takes the most liked
POSTS_MAX = 5
TEXT_MAX = 300  # characters of a post


def queue_due(site: Site, partition: int) -> int:
    """Queue the digests of a few members who are due. Return for how many. One trip, four each."""
    if not site.config.has_mail:
        return 0
    due = site.db.read(due_members(partition, BATCH))
    for uid, when in due:
        posts = list[Mapping[str, str | int]]()  # none for a member whose home cannot be read
        with going_on(f"the digest of member {uid}"):
            posts = list(map(_described, most_liked(site, uid)))
        queue_digest(site, uid, when, posts)
    return len(due)


def most_liked(site: Site, uid: int) -> list[Status]:
    """Return the posts of a member's home that were liked most this week. Three trips.

    They are those of others that no filter covers. Posts for few people stay out of mails.
    """
    wide = Site(site.db, replace(site.config, page_size=READ))
    try:
        snapshot, filters = site.db.fetch(home_snapshot(wide, uid, None), filters_of(uid))
    except NotFound:
        return []
    filter_set = FilterSet(filters, "home", uid)
    page, since = home_page(wide, snapshot, filter_set), time.time() - WEEK
    found = {one.id: one for one in map(status_of, page.items)}
    wanted = [
        one
        for one in found.values()
        if one.author.uid != uid
        and one.likes
        and not one.visibility.restricted
        and one.created.timestamp() > since
        and not filter_set.warning_for(one)
    ]
    return sorted(wanted, key=lambda one: (-one.likes, -one.id))[:POSTS_MAX]


def _described(status: Status) -> Mapping[str, str | int]:
    text = status.cw or status.text
    return {
        "name": status.author.name,
        "login": status.author.login,
        "text": text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}…",
        "is_warning": bool(status.cw),
        "pictures": len(status.pictures),
        "path": status_path(status.author.login, status.id),
    }
