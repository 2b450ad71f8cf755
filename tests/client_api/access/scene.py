"""A site with statuses of every visibility, and everybody who may ask for them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from tests.support.client_api import ApiClient, allowed_code, connected, exchange, register_app
from tests.support.full_site import picture_file
from tests.support.pages import join, post_status, serving_alone
from webapp.accounts import lifecycle
from webapp.core.store import Site

MARK = re.compile(r"zq([a-z]+)zq")  # in the text of each status
VISIBILITIES = ("public", "unlisted", "private", "direct")  # of ann's statuses, and their marks
MEMBERS = "ann heron gull gone follower named stranger blocked blocker muter".split()
# What each viewer is to ann; heron is protected, and only the follower follows her.
VIEWERS = "visitor app ann follower named stranger blocked blocker muter".split()
GROUP = {"name": "Reeds", "slug": "reeds", "about": "", "kind": "closed", "voting": "both"}
IN_GROUP = ("named", "muter")  # besides ann, who runs it
DUE = timedelta(hours=3)


@dataclass
class Scene:
    """ann has statuses of every visibility, one of them in a closed group, where some others are.

    heron is protected, gull suspended, gone deleted.

    `things`: (login, id) of statuses by mark. `owned`: numbers of ann's things by kind.
    """

    app: Flask
    browsers: dict[str, FlaskClient] = field(default_factory=dict)
    apps: dict[str, ApiClient] = field(default_factory=dict)
    uids: dict[str, int] = field(default_factory=dict)
    things: dict[str, tuple[str, int]] = field(default_factory=dict)
    owned: dict[str, str] = field(default_factory=dict)

    def page_code(self, viewer: str, mark: str) -> int:
        """Return the code of the page of a status; a gone one counts as one never posted."""
        code = self.browsers[viewer].get(self.address(mark)).status_code
        return 404 if code == 410 else code

    def address(self, mark: str) -> str:
        """Return the address of a status."""
        login, status_id = self.things[mark]
        return f"/@{login}/{status_id}"

    def seen_by(self, viewer: str) -> set[str]:
        """Return the marks of the statuses that a viewer may open."""
        return {mark for mark in self.things if self.page_code(viewer, mark) == 200}


@contextmanager
def access_scene(folder: Path) -> Iterator[Scene]:
    """Run the site while the block runs."""
    with serving_alone(folder) as app:
        yield _filled(app)


def _filled(app: Flask) -> Scene:
    scene = Scene(app)
    for at, login in enumerate(MEMBERS, 1):
        scene.browsers[login] = join(app, login)
        scene.apps[login] = connected(app, scene.browsers[login])
        scene.uids[login] = at
    registered = register_app(app)
    names = {name: registered[name] for name in ("client_id", "client_secret")}
    sent = {"grant_type": "client_credentials", **names}
    token = app.test_client().post("/oauth/token", data=sent).json["access_token"]
    scene.apps |= {"visitor": ApiClient(app), "app": ApiClient(app, token)}
    scene.browsers |= {"visitor": app.test_client(), "app": app.test_client()}
    scene.apps["ended"] = _ended(app, scene.browsers["stranger"])
    _post(scene)
    _post_to_group(scene)
    _relate(scene)
    _own(scene)
    return scene


def _ended(app: Flask, browser: FlaskClient) -> ApiClient:
    """Return an app whose token it has given back."""
    registered = register_app(app)
    token = exchange(app, registered, allowed_code(browser, registered)).json["access_token"]
    sent = {name: registered[name] for name in ("client_id", "client_secret")}
    assert app.test_client().post("/oauth/revoke", data=sent | {"token": token}).json == {}
    return ApiClient(app, token)


def _post(scene: Scene) -> None:
    for visibility in VISIBILITIES:
        _post_one(scene, "ann", visibility, visibility)
    for login, mark in (("heron", "protected"), ("gull", "suspended"), ("gone", "closed")):
        _post_one(scene, login, mark, "public")
    _post_one(scene, "ann", "deleted", "public")
    status_id = scene.things["deleted"][1]
    assert scene.apps["ann"].call(f"DELETE /api/v1/statuses/{status_id}").status_code == 200


def _post_one(scene: Scene, login: str, mark: str, visibility: str) -> None:
    text = f"zq{mark}zq #marsh" + " @named" * (visibility == "direct")
    poll = {"options": ["yes", "no"], "expires_in": 3600}
    sent = {"status": text, "visibility": visibility, "poll": poll}
    answer = scene.apps[login].call("POST /api/v1/statuses", json=sent)
    scene.things[mark] = login, int(answer.json["id"])


def _post_to_group(scene: Scene) -> None:
    """Let ann post to a closed group, and mention one who is in it and one who is not."""
    ann = scene.browsers["ann"]
    ann.post("/groups/new", data=GROUP)
    for login in IN_GROUP:
        scene.browsers[login].post("/groups/reeds/join")
        ann.post(f"/groups/reeds/requests/{login}/accept")
    form = {"option1": "yes", "option2": "no", "group": "1", "next": "/groups/reeds"}
    status_id = post_status(ann, "zqgroupzq #marsh @named @follower", **form)
    scene.things["group"] = "ann", status_id


def _relate(scene: Scene) -> None:
    ann, heron = scene.uids["ann"], scene.uids["heron"]
    for login in ("follower", "muter"):
        scene.apps[login].post(f"v1/accounts/{ann}/follow")
    scene.apps["follower"].post(f"v1/accounts/{heron}/follow")
    scene.apps["muter"].post(f"v1/accounts/{ann}/mute")
    scene.apps["ann"].post(f"v1/accounts/{scene.uids['blocked']}/block")
    scene.apps["blocker"].post(f"v1/accounts/{ann}/block")
    site = Site(scene.app.extensions["linnet.db"], scene.app.extensions["linnet.config"])
    with scene.app.app_context():
        lifecycle.protect(site, heron)
        lifecycle.suspend(site, scene.uids["gull"])
        lifecycle.delete_account(site, scene.uids["gone"], None)


def _own(scene: Scene) -> None:
    """Create something of each kind that only ann has."""
    ann: Any = scene.apps["ann"]
    for number in range(3):  # others may have a first and a second one
        made = ann.post("v1/lists", title=f"list {number}")
        phrase = {"context[]": "home", "keywords_attributes[0][keyword]": f"word{number}"}
        kept = ann.post("v2/filters", title=f"words {number}", **phrase)
    one = ann.post(f"v2/filters/{kept['id']}/statuses", status_id=scene.things["public"][1])
    scene.owned = {"list": made["id"], "filter": kept["id"], "phrase": kept["keywords"][0]["id"]}
    scene.owned["filtered"] = one["id"]
    due = (datetime.now(UTC) + DUE).isoformat()
    notification = ann.get("v1/notifications", types="follow")[0]["id"]
    ann.post("v1/statuses", status="a note", visibility="direct")
    scene.owned |= {
        "notification": notification,
        "group": f"ungrouped-{notification}",
        "conversation": ann.get("v1/conversations")[0]["id"],
        "media": ann.post("v2/media", file=picture_file())["id"],
        "scheduled": ann.post("v1/statuses", status="later", scheduled_at=due)["id"],
    }
