"""A site with content of every kind, and statuses of many members who are hidden from Ann."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.full_site import MEMBER_PATHS, PUBLIC_PATHS, fill_chats, fill_site
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.community.groups import store as groups
from webapp.community.groups.models import HomeChoice
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import store as statuses
from webapp.statuses.folders import store as folders
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.reading_history import store as reading_history

ROUNDS = 6  # of posts by every member
GROUP = 1  # made by Ann
# Ann has muted the first and blocked the third; the second blocks her. The fourth is suspended,
# the fifth protected.
HIDDEN = ("magpie", "shrike", "jay", "cuckoo", "heron")
LOGINS = ("ann", "ben", "swan", *HIDDEN)
CHAT_PATHS = (
    "/chats /chats/requests /chats/archived /chats/new /chats/new-message "
    "/chats/search /chats/search?q=quoted+from:ben {chat}/search?q=quoted+from:ann "
    "/chats/forward?status={id} /chats/forward?status={quote} {chat} {chat}?reply=1 {chat}?edit=1 "
    "{chat}?react=1 "
    "{chat}?report=1 {chat}?report=all {chat}?before=2 {chat}?after=1 {chat}/people "
    "{chat}/settings {direct}"
)
MORE_PUBLIC_PATHS = (
    "{first_reply} {last_reply} {status} /@swan /@swan/replies /tags/tag.atom /public.atom "
    "/@ben/feed.atom /@magpie /@shrike /@jay /@cuckoo /@heron /statuses?ids={several} "
    "{status}/card.png {status}/embed /oembed?url=http://localhost{status} /sitemap.xml "
    "/sitemap-posts-1.xml /sitemap-members.xml /sitemap-pages.xml"
)


class CrowdedSite(NamedTuple):
    """An app with content, and Ann's browser.

    `public_paths` are for visitors and members, `member_paths` for Ann.
    """

    app: Flask
    ann: FlaskClient
    public_paths: list[str]
    member_paths: list[str]

    @property
    def db(self) -> Db:
        """The app's store."""
        db: Db = self.app.extensions["linnet.db"]
        return db


def crowd_site(app: Flask, config: Config, join: Callable[[str], FlaskClient]) -> CrowdedSite:
    """Fill a site. `join` signs a member up and returns their browser."""
    db: Db = app.extensions["linnet.db"]
    clients = {login: join(login) for login in LOGINS}
    ann = clients["ann"]
    status_path = fill_site(ann, clients["ben"])
    chat_path = fill_chats(ann, clients["ben"], status_path)
    status_id = int(status_path.rpartition("/")[2])
    uids = [db.read(uid_by_login(login)) for login in LOGINS]
    _follow(Site(db, config), uids)
    reading_history.choose(db, uids[0], "on")
    ann.post("/lists/2/members", data={"people": "swan"})
    posted = [
        status
        for number in range(ROUNDS)
        for status in _post_round(Site(db, config), number, status_id, uids)
    ]
    _hide(Site(db, config), uids[0], clients["heron"])
    _leave_unapplied_changes(Site(db, config), ann, uids, posted)
    replies = re.findall(r'href="(/@ben/\d+)"', ann.get(status_path).text)
    values = {
        "id": status_id,
        "status": status_path,
        "first_reply": replies[0],
        "last_reply": replies[-1],
        "chat": chat_path,
        "quote": posted[-7],
        "direct": ann.get("/chats/@ben").location,
        "several": ",".join(f"{status}-{uids[1]}" for status in posted[-8:-4]),
    }
    return CrowdedSite(
        app,
        ann,
        f"{PUBLIC_PATHS} {MORE_PUBLIC_PATHS}".format(**values).split(),
        f"{MEMBER_PATHS} {CHAT_PATHS}".format(**values).split(),
    )


def _follow(site: Site, uids: list[int]) -> None:
    """Let Ann follow Swan and all who will be hidden, and all others follow Swan and Ben.

    All are in her group, whose posts she reads on its own page.
    """
    groups.set_home(site, uids[0], GROUP, HomeChoice.NOTHING)
    for uid, login in zip(uids, LOGINS, strict=True):
        groups.join(site, uid, GROUP)
        targets = ("swan", *HIDDEN) if login == "ann" else ("swan", "ben")
        for target in targets:
            if target != login:
                following.follow(site, uid, target)
    worker.drain(site)


def _post_round(site: Site, number: int, quoted: int, uids: list[int]) -> Iterator[int]:
    """Let everybody post. The first three boost it; Ben likes it; Ann keeps it. Yield the ids."""
    for index, uid in enumerate(uids):
        status = statuses.post(
            site,
            uid,
            parse(f"{number} {index} #tag @ben"),
            f"form-{number}-{index}",
            quote=quoted if (number + index) % 2 else None,
            cw="loud" if number % 3 else "",
            groups=[GROUP],
        )
        for booster in uids[:3]:
            boosts.boost(site, booster, status)
        likes.like(site, uids[1], status)
        folders.sort(site, uids[0], status, {1: True})
        site.db.run(reading_history.note_viewed(uids[0], status))
        yield status
    worker.drain(site)


def _hide(site: Site, ann: int, heron: FlaskClient) -> None:
    """Hide five members from Ann, each in another way."""
    mutes.mute(site, ann, "magpie")
    blocks.block(site, site.db.read(uid_by_login("shrike")), "ann")
    blocks.block(site, ann, "jay")
    worker.drain(site)
    lifecycle.suspend(site, site.db.read(uid_by_login("cuckoo")))
    worker.drain(site)
    heron.post("/settings/privacy", data={"protected": "y"})


def _leave_unapplied_changes(
    site: Site, ann: FlaskClient, uids: list[int], posted: list[int]
) -> None:
    """Like and delete statuses without applying it. Deleted ones stay in homes until read.

    Build Ann's home and lists first; another test lets them be rebuilt.
    """
    likes.like(site, uids[0], posted[-len(uids) + 1])
    for path in ("/home", "/@ann/lists/1", "/@ann/lists/2"):
        ann.get(path)
    for index in (1, 2):
        for status in posted[index :: len(uids)][-2:]:
            statuses.delete(site, uids[index], status)
