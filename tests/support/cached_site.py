"""A site with a page cache, and visitors and members in it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, template_rendered

from tests.conftest import SignUp
from tests.support import worker
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.lists import store as lists
from webapp.statuses import Place, store as statuses


class CachedSite:
    """The app, two members, and their actions."""

    run = Site.run

    def __init__(self, app: Flask, member: SignUp) -> None:
        self.app = app
        self.db: Db = app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.ann, self.ben = (self.join(member, login) for login in ("ann", "ben"))
        following.follow(self, self.ben, "ann")
        self.anns_status = self.post(self.ann, "from Ann")
        self.bens_status = self.post(self.ben, "by Ben")
        self.reply = self.post(self.ben, "so it is", self.anns_status)
        self.list = lists.create(self, self.ann, "Birds")
        self.set_listed(True)
        self.apply_events()

    def join(self, member: SignUp, login: str) -> int:
        member(login)
        return self.db.read(uid_by_login(login))

    def post(self, uid: int, text: str, reply: int | None = None) -> int:
        place, form_key = Place(47.5, 8.5, "The reeds"), f"form {text}"
        status_id = statuses.post(self, uid, parse(text, 280), form_key, place, reply=reply)
        self.apply_events()
        return status_id

    def set_listed(self, listed: bool) -> None:
        lists.set_memberships(self, self.ann, "ben", {self.list: listed})

    def apply_events(self) -> None:
        worker.drain(self)

    def view(self, path: str, **headers: str) -> str:
        """Return a page as a new visitor sees it."""
        return self.app.test_client().get(path, headers=headers).get_data(as_text=True)

    def paths(self) -> list[str]:
        people = [
            f"/@{login}{suffix}"
            for login in ("ann", "ben")
            for suffix in ("", "/replies", "/followers", "/following", "/mutuals")
        ]
        statuses = [
            f"/@ann/{self.anns_status}",
            f"/@ann/{self.anns_status}/embed",
            f"/@ann/{self.anns_status}/history",
            f"/@ben/{self.bens_status}",
            f"/@ben/{self.bens_status}/history",
            f"/@ben/{self.reply}",
            f"/statuses?ids={self.anns_status},{self.bens_status}",
        ]
        return [
            "/",
            "/public",
            f"/public?max_id={self.bens_status + 1}",
            *people,
            *statuses,
            "/about/streaming",
            "/@ann/lists",
            "/@ben/lists",
            "/public.atom",
            "/@ann/feed.atom",
        ]

    @contextmanager
    def renderings(self) -> Iterator[list[str | None]]:
        """Collect the names of the templates that are rendered."""
        rendered: list[str | None] = []

        def record(sender: Flask, template: object, **rest: object) -> None:
            rendered.append(getattr(template, "name", None))

        with template_rendered.connected_to(record, self.app):
            yield rendered


def cached_page_keys(db: Db) -> list[str]:
    """Return the keys that hold a page, not only a lease."""
    keys = [key for name in db.on_every_primary("KEYS", "page:*") for key in name]
    return [
        key for key in keys if any(not field.startswith("=") for field in db.run(("HKEYS", key)))
    ]


def comparable(page: str) -> str:
    """Return a page without its log position, its request id and its counts, which may be old."""
    return re.sub(
        r"""\d{13}-\d+|<code>[0-9a-f]{16}</code>"""
        r"""|\s*<p class="status-interactions">.*?</p>\s*"""
        r"""|<div class="actions actions-join">.*?</div>""",
        "",
        page,
    )
