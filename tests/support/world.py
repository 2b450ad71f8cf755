"""The site of one test: its store, settings, members, browsers and worker."""

from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from webapp.accounts import lifecycle, registration
from webapp.accounts.store import get_by_login
from webapp.config import Config
from webapp.core.events.outbox import Context
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import Status, store as statuses
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.timelines.tags import store as tags

PASSWORD = "correct horse battery"  # of every member
FORM_KEYS = count(1)


def store_of(app: Flask) -> Db:
    """Return the store of an app."""
    db: Db = app.extensions["linnet.db"]
    return db


def post(site: Site, uid: int, text: str = "hi", reply: int | None = None, **options: Any) -> int:
    """Post a text and return its id."""
    form_key = f"form-{next(FORM_KEYS):08}"
    return statuses.post(site, uid, parse(text), form_key, reply=reply, **options)


class Acting:
    """Acts on its site."""

    site: Site

    def apply_events(self) -> None:
        """Apply all waiting events."""
        worker.drain(self.site)

    def do(self, act: Callable[..., Any], *values: Any, **options: Any) -> Any:
        """Call a store function for the site, then apply all events. Return its result."""
        result = act(self.site, *values, **options)
        self.apply_events()
        return result

    def refuses(
        self,
        error: type[Exception],
        act: Callable[..., Any],
        *values: Any,
        match: str | None = None,
        **options: Any,
    ) -> None:
        """Expect that a store function refuses, with an error that matches a pattern."""
        with pytest.raises(error, match=match):
            act(self.site, *values, **options)


class OnSite:
    """Has a site, whose store and settings it holds apart."""

    db: Db
    config: Config

    @property
    def site(self) -> Site:
        """The store and the settings."""
        return Site(self.db, self.config)


class World(Site, Acting):
    """A site without pages. Its events wait until a test applies them.

    Members act by the functions of the store: `world.follow(ben, "ann")`, or
    `world.do(World.follow, ben, "ann")` for the act and its events.
    """

    follow, unfollow = following.follow, following.unfollow
    block, unblock = blocks.block, blocks.unblock
    mute, unmute = mutes.mute, mutes.unmute
    follow_tag, delete = tags.follow, statuses.delete
    like, unlike = likes.like, likes.unlike
    boost, unboost = boosts.boost, boosts.unboost
    bookmark, unbookmark = bookmarks.bookmark, bookmarks.unbookmark
    suspend, protect = lifecycle.suspend, lifecycle.protect
    delete_account = lifecycle.delete_account

    def people(self, *logins: str) -> list[int]:
        """Sign members up without a browser. Return their uids."""
        return [registration.sign_up(self, login, login.title(), PASSWORD).uid for login in logins]

    def crowd(self, count: int) -> list[int]:
        """Sign up `bird0`, `bird1` and so on. Return their uids."""
        return self.people(*(f"bird{number}" for number in range(count)))

    def post(self, uid: int, text: str = "hi", **options: Any) -> int:
        """Post a text and return its id."""
        return post(self, uid, text, **options)

    def status(self, status_id: int, *viewer: int | None) -> Status:
        """Return a status as a viewer sees it. Raises NotFound."""
        return statuses.get(self.db, status_id, *viewer)

    @property
    def context(self) -> Context:
        """What projections are given."""
        return Context(self.db, self.config, lambda: None)

    @property
    def site(self) -> Site:
        """The site itself."""
        return self


class Web(World):
    """A site with pages, which apply events before they answer."""

    app: Flask

    def __init__(self, app: Flask) -> None:
        object.__setattr__(self, "db", store_of(app))
        object.__setattr__(self, "app", app)

    @property
    def config(self) -> Config:
        """The settings of the app as they are now."""
        return self.app.extensions["linnet.config"]

    @cached_property
    def client(self) -> FlaskClient:
        """A visitor's browser."""
        return self.app.test_client()

    def member(self, login: str, right: str = "") -> FlaskClient:
        """Sign a member up, who gets a right if it is named. Return their browser."""
        client = self.app.test_client()
        form = {"login": login, "name": login.title(), "password": PASSWORD}
        assert client.post("/signup", data=form).status_code == 303
        if right:
            lifecycle.grant(self.db, get_by_login(self.db, login).uid, right)
        return client
