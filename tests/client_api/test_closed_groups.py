"""Posts of closed groups: apps show them to members, as pages do, and to nobody else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support import worker
from tests.support.client_api import ApiClient, connected, ids
from tests.support.pages import post_status
from webapp.core.store import Site
from webapp.statuses.drafts import keys as draft_keys, publishing

GROUP = {"name": "Reeds", "slug": "reeds", "about": "", "kind": "closed", "voting": "both"}
Scene = tuple[FlaskClient, ApiClient, ApiClient, ApiClient]


@pytest.fixture
def scene(app: Flask, member: SignUp) -> Scene:
    """The browser of ann, who runs a closed group, and the apps of ann, ben, who is in it, and cat.

    Both follow ann.
    """
    ann, ben, cat = (member(login) for login in ("ann", "ben", "cat"))
    ann.post("/groups/new", data=GROUP)
    ben.post("/groups/reeds/join")
    ann.post("/groups/reeds/requests/ben/accept")
    apps = [connected(app, browser) for browser in (ann, ben, cat)]
    for client in apps[1:]:
        client.post("v1/accounts/1/follow")
    return ann, *apps


def post(ann: FlaskClient, text: str) -> int:
    return post_status(ann, text, group="1", next="/groups/reeds")


def everywhere(client: ApiClient, status_id: int) -> list[Any]:
    """Return the status as all places have it that members find it in."""
    listed = [
        *client.get("v1/timelines/home"),
        *client.get("v1/statuses", **{"id[]": status_id}),
        *client.get("v2/search", q=f"http://localhost/@ann/{status_id}")["statuses"],
        *(one["status"] for one in client.get("v1/notifications") if one["status"]),
        *client.get("v2/notifications")["statuses"],
    ]
    answer = client.call(f"GET /api/v1/statuses/{status_id}")
    return [*listed, answer.json] if answer.status_code == 200 else listed


def test_members_find_a_post_everywhere_and_others_nowhere(scene: Scene) -> None:
    browser, _, ben, cat = scene
    song = post(browser, "a secret for @ben and @cat")
    found = everywhere(ben, song)
    assert ids(found) == [song] * 6
    assert {one["visibility"] for one in found} == {"private"}
    assert everywhere(cat, song) == []
    browser.post("/groups/reeds/members/ben/remove")
    assert everywhere(ben, song) == []


def test_answers_stay_in_the_group(scene: Scene) -> None:
    browser, ann, ben, cat = scene
    song = post(browser, "a secret")
    sent = {"in_reply_to_id": song, "visibility": "public"}
    answer = ben.post("v1/statuses", status="an answer @cat", **sent)
    assert answer["visibility"] == "private"
    assert ids(ann.get(f"v1/statuses/{song}/context")["descendants"]) == ids([answer])
    assert ids(ann.get("v1/notifications", **{"types[]": "mention"})) != []
    assert cat.call(f"GET /api/v1/statuses/{song}/context").status_code == 404
    assert cat.get("v1/notifications") == []


def test_they_are_neither_boosted_nor_quoted(scene: Scene) -> None:
    browser, _, ben, _ = scene
    song = post(browser, "a secret")
    assert ben.get(f"v1/statuses/{song}")["quote_approval"]["current_user"] == "denied"
    assert ben.call(f"POST /api/v1/statuses/{song}/reblog").status_code == 403
    quote = {"status": "look", "quoted_status_id": song}
    assert ben.call("POST /api/v1/statuses", data=quote).status_code == 403


@pytest.mark.parametrize("visibility", ["", "public"])
def test_a_scheduled_answer_is_posted_to_the_group(
    scene: Scene, app_site: Site, visibility: str
) -> None:
    browser, ann, ben, cat = scene
    song = post(browser, "a secret")
    due = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    sent = {"in_reply_to_id": song, "scheduled_at": due, "visibility": visibility}
    waiting = ben.post("v1/statuses", status="later", **sent)
    assert waiting["params"]["visibility"] == "private"
    due_posts = draft_keys.scheduled_posts(2)  # of ben's partition
    [entry] = app_site.db.run(("ZRANGE", due_posts, 0, -1))
    app_site.db.run(("ZADD", due_posts, 1, entry))
    app_site.db.run(("HSET", draft_keys.draft(2, entry.partition(":")[2]), "due", 1))
    publishing.publish_due(app_site, [2])
    worker.drain(app_site)
    [answer] = ann.get(f"v1/statuses/{song}/context")["descendants"]
    assert answer["visibility"] == "private"
    assert cat.call(f"GET /api/v1/statuses/{answer['id']}").status_code == 404
