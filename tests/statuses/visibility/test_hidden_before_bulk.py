"""Hidden statuses leave all pages at once, although the indexes are rewritten later."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support.pages import post_status
from webapp import registry
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.events import inline
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.timelines import keys as timeline_keys

SECRET = "nobody reads this"
Act = Callable[[Site, int], object]
ACTS: dict[str, Act] = {
    "protected": lifecycle.protect,
    "suspended": lifecycle.suspend,
    "deleted": lambda site, uid: lifecycle.delete_account(site, uid, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("act", list(ACTS))
def test_no_page_shows_a_hidden_author_while_the_bulk_group_is_behind(
    settings: Config, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    no_bulk = dict.fromkeys(registry.REGISTRY.bulk, ())
    behind = replace(registry.REGISTRY, bulk=no_bulk)
    monkeypatch.setattr("webapp.app.REGISTRY", behind)
    app = make_app(settings)
    db = app.extensions["linnet.db"]

    def sign_up(login: str) -> FlaskClient:
        client = app.test_client()
        form = {"login": login, "name": login.title(), "password": PASSWORD}
        assert client.post("/signup", data=form).status_code == 303
        return client

    visitor, ann, ben, cid = app.test_client(), *map(sign_up, ("ann", "ben", "cid"))
    about = post_status(ben, "what do you say? #birds")
    own = post_status(ann, f"{SECRET} #birds")
    uid = db.read(uid_by_login("ann"))
    text = parse(f"{SECRET} #birds")
    reply = statuses.post(Site(db, settings), uid, text, "a-reply", reply=about)
    quote = statuses.post(Site(db, settings), uid, text, "a-quote", quote=about)
    inline.drain(Site(db, settings), behind)
    assert ben.post(f"/statuses/{own}/boost").status_code == 303
    for path in ("/tags/birds/follow", "/@ben/follow"):
        assert cid.post(path).status_code == 303
    paths = [
        *("/public", "/public.atom", "/tags/birds", "/tags/birds.atom", "/@ann", "/@ann/replies"),
        *("/@ann.atom", "/@ben", "/@ben.atom", f"/@ben/{about}", f"/@ben/{about}/quotes"),
        *(f"/@ann/{one}" for one in (own, reply, quote)),
        *("/explore?lang=all", "/tags/birds/hot"),
        f"/statuses?ids={own},{reply},{quote}",
    ]
    readers = [(visitor, paths), (cid, [*paths, "/home"])]
    shown_before = {
        path
        for client, all_ in readers
        for path in all_
        for _ in "12"
        if SECRET in get(client, path)
    }
    assert {"/public", "/tags/birds", "/tags/birds.atom", "/@ann", "/home"} <= shown_before
    ACTS[act](Site(db, settings), uid)
    inline.drain(Site(db, settings), behind)
    assert db.run(("ZCARD", timeline_keys.hashtag_statuses("birds"))) == 4, "not yet rewritten"
    for client, all_ in readers:
        assert [path for path in all_ for _ in "12" if SECRET in get(client, path)] == []
    assert db.run(("EXISTS", account_keys.login("ann")))
    db.close()


def get(client: FlaskClient, path: str) -> str:
    """Return a page, whatever its status."""
    return client.get(path).text
