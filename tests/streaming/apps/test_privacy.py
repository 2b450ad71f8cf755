"""What apps are not sent: statuses of blocked, muted and protected members, and for others."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.support.streaming.client import PROCESSES, Scene
from webapp.accounts import lifecycle
from webapp.accounts.tokens import store as tokens
from webapp.core.text.parser import parse
from webapp.following import member_collections
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.statuses import Filter, Visibility, store as statuses
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions import boosts

from .conftest import Open

pytestmark = PROCESSES
Act = Callable[[Scene], object]
HIDING: dict[str, Act] = {
    "blocked": lambda scene: blocks.block(scene.site, scene.ben, scene.login("ann")),
    "blocking": lambda scene: blocks.block(scene.site, scene.ann, scene.login("ben")),
    "muted": lambda scene: mutes.mute(scene.site, scene.ben, scene.login("ann")),
    "filtered": lambda scene: filters.save(scene.site, scene.ben, Filter("gull", hide=True)),
    "suspended": lambda scene: lifecycle.suspend(scene.site, scene.ann),
}


@pytest.mark.parametrize("way", HIDING)
def test_hidden_authors_and_filtered_words_are_left_out(
    scene: Scene, connect: Open, way: str
) -> None:
    dan, names = scene.join("dan"), ("user", "public", "hashtag")
    scene.follow(scene.ben, "dan")
    socket = connect(scene.ben, stream="")
    for name in names:
        socket.send("subscribe", name, tag="heath")
    socket.until(lambda: scene.post("#heath", author=dan)[0], *names)
    scene.post("before #heath")
    assert {socket.next().payload["account"]["id"] for _ in names} == {str(scene.ann)}
    HIDING[way](scene)
    scene.apply_events()
    if way != "suspended":
        scene.post("a gull #heath")
    [last] = scene.post("after #heath", author=dan)
    updates = []
    while len(updates) < len(names):
        frame = socket.next()
        assert frame.event in ("update", "filters_changed")
        updates += [frame.id] if frame.event == "update" else []
    assert set(updates) == {last}


def test_a_status_for_few_reaches_only_those_who_may_see_it(scene: Scene, connect: Open) -> None:
    def post(text: str, visibility: Visibility) -> int:
        key = f"{scene.ann} {text}"
        posted = scene.do(statuses.post, scene.ann, parse(text), key, visibility=visibility)
        return int(posted)

    eve = scene.join("eve")
    ben, cid = connect(scene.ben), connect(scene.cid)
    stranger = connect(eve)
    public = connect(scene.cid, "public", settle=eve)
    followers = post("for followers #heath", Visibility.FOLLOWERS)
    direct = post(f"for @{scene.login('ben')} alone", Visibility.MENTIONED)
    assert ben.next().id == followers
    frames = {frame.event: frame for frame in (ben.next(), ben.next())}  # in either order
    assert frames["update"].id == direct and frames["notification"].payload["type"] == "mention"
    assert cid.next().id == followers
    statuses.delete(scene.site, scene.ann, direct)
    scene.do(lifecycle.protect, scene.ann)
    assert ben.next()[1:] == ("delete", direct)
    [protected] = scene.post("protected")
    assert ben.next().id == cid.next().id == protected
    [last] = scene.post(author=eve)
    seen = [stranger.next().id]
    while seen[-1] != last:
        seen.append(stranger.next().id)
    assert not {followers, direct, protected} & set(seen)
    assert public.next().id == last


def test_hidden_boosts_and_boosts_of_hidden_authors_are_left_out(
    scene: Scene, connect: Open
) -> None:
    site, dan = scene.site, scene.join("dan")
    [first] = scene.post("one", author=dan)
    [second] = scene.post("two", author=dan)
    member_collections.hide_boosts(site, scene.ben, scene.login("ann"))
    scene.do(mutes.mute, scene.cid, scene.login("dan"))
    number = lists.create(site, scene.ben, "Birds")
    lists.set_memberships(site, scene.ben, scene.login("ann"), {number: True})
    listed = connect(scene.ben, f"list&list={number}", settle=scene.ann)
    ben, cid = connect(scene.ben), connect(scene.cid)
    for status_id in (first, second):
        boosts.boost(site, scene.ann, status_id)
    [last] = scene.post()
    assert ben.next().id == cid.next().id == listed.next().id == last


ENDING: dict[str, Callable[[Scene, str], object]] = {
    "revoked": lambda scene, token: tokens.revoke(scene.site, scene.ben, tokens.sha_of(token)),
    "suspended": lambda scene, _: lifecycle.suspend(scene.site, scene.ben),
}


@pytest.mark.parametrize(
    ("way", "stream"), [("revoked", "user"), ("revoked", ""), ("suspended", "public")]
)
def test_sockets_end_with_their_token(scene: Scene, connect: Open, way: str, stream: str) -> None:
    socket = connect(scene.ben, stream)
    ENDING[way](scene, socket.token)
    scene.apply_events()
    assert socket.close_code() == 1008


def test_a_stream_takes_its_scope(scene: Scene, connect: Open) -> None:
    socket = connect(scene.ben, stream="", scopes="read:statuses")
    socket.send("subscribe", "user:notification")
    socket.send("subscribe", "user")
    socket.until(lambda: scene.post()[0], "user")
    mention = f"@{scene.login('ben')}"
    [status_id] = scene.post(mention)
    assert socket.next().id == status_id
    [last] = scene.post()
    assert socket.next()[:2] == (["user"], "update") and last
    notified = connect(scene.ben, stream="", scopes="read:notifications")
    notified.send("subscribe", "public")
    notified.send("subscribe", "user:notification")
    while True:
        scene.post(mention)
        with suppress(TimeoutError):
            break_at = notified.next(0.3)
            break
    assert break_at[:2] == (["user:notification"], "notification")
