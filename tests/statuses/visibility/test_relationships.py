"""Whose statuses a viewer sees on every page and stream, by the relationship to the author.

One table holds all expectations. A new path on which statuses show adds a row; a new kind of
relationship adds a column.
"""

import time
from types import SimpleNamespace

import pytest

from tests.support import worker
from tests.support.statuses.relationships import (
    COLUMNS,
    ROWS,
    Scene,
    expected_rows,
    rows_on_streams,
    scene as scene,
)
from webapp.accounts import lifecycle
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import keys as status_keys

pytestmark = pytest.mark.slow


def change_relationship(scene: Scene, column: str) -> None:
    """Give finch and wren the relationship of a column."""
    finch, wren = scene.uids["finch"], scene.uids["wren"]
    if column in ("muted", "expired"):
        mutes.mute(scene.site, finch, "wren", 3_600)
    if column == "expired":
        scene.db.run(("ZADD", following_keys.mutes(finch), int(time.time()) - 1, wren))
    if column == "blocking":
        blocks.block(scene.site, finch, "wren")
    if column == "blocked":
        blocks.block(scene.site, wren, "finch")
    if column == "protected":
        lifecycle.protect(scene.site, wren)
    worker.drain(scene.site)


def rows_on_pages(scene: Scene) -> set[str]:
    """Return the rows of pages that show finch, or a visitor, a status or boost of wren."""
    finch, visitor = scene.finch, scene.app.test_client()
    found = {
        row
        for client, pages in ((finch, viewer_pages(scene)), (visitor, visitor_pages(scene)))
        for row, (path, text) in pages.items()
        if text in client.get(path).text
    }
    permalink = f"/@wren/{scene.song}"
    opened = {
        "boosters": f"/@wren/{scene.boosted_by_ibis}/boosts",
        "quotes": f"{permalink}/quotes",
        "may quote": f"/statuses/new?quote={scene.song}",
    }
    found |= {row for row, path in opened.items() if finch.get(path).status_code == 200}

    finch.post("/@wren/unfollow")
    if "a wren hums" in finch.get("/home").text:
        found.add("home, boosted by ibis")
    finch.post("/tags/song/follow")
    if "a wren sings" in finch.get("/home").text:
        found.add("followed tag")
    poll = '[["Trill","Chirp"],60,0]'
    scene.db.run(("HSET", status_keys.status(scene.song), "poll", poll))
    if finch.post(f"/statuses/{scene.song}/vote", data={"option": "0"}).status_code == 303:
        found.add("may vote")
    if finch.get(f"{permalink}/likes").status_code == 200:
        found.add("likers")
    if 'href="/@wren"' in finch.get(f"/@ibis/{scene.ibis_status}/likes").text:
        found.add("in likers")
    return found


def viewer_pages(scene: Scene) -> dict[str, tuple[str, str]]:
    """Return the pages that finch opens by row: the path, and the text looked for."""
    song, thread = scene.song, f"/@ibis/{scene.ibis_status}"
    by_ids = f"/statuses?ids={scene.boosted_by_wren}-{scene.uids['wren']}"
    return {
        "home": ("/home", "a wren sings"),
        "public": ("/public", "a wren sings"),
        "profile": ("/@wren", "a wren sings"),
        "profile replies": ("/@wren/replies", "a wren sings"),
        "permalink": (f"/@wren/{song}", "a wren sings"),
        "thread above": (f"/@ibis/{scene.reply}", "a wren sings"),
        "thread below": (thread, "a wren trills back"),
        "tag": ("/tags/song", "a wren sings"),
        "by ids": (f"/statuses?ids={song}", "a wren sings"),
        "bookmarks": ("/bookmarks", "a wren sings"),
        "own list": ("/@finch/lists/1", "a wren sings"),
        "other's list": ("/@ibis/lists/1", "a wren sings"),
        "may forward": (f"/chats/forward?status={song}", "a wren sings"),
        "quote card": (f"/@jay/{scene.quote}", "a wren sings"),
        "quote card below": (thread, "a wren sings"),
        "in quotes": (f"{thread}/quotes", "a wren quips"),
        "in boosters": (f"/@kite/{scene.boosted_by_wren}/boosts", 'href="/@wren"'),
        "profile, boosted by ibis": ("/@ibis", "a wren hums"),
        "list, boosted by ibis": ("/@finch/lists/2", "a wren hums"),
        "home, boosted by wren": ("/home", "a kite soars"),
        "profile, boosted by wren": ("/@wren", "a kite soars"),
        "by ids, boosted by wren": (by_ids, "a kite soars"),
        "list, boosted by wren": ("/@finch/lists/1", "a kite soars"),
        "feed": ("/@wren/feed.atom", "a wren sings"),
        "tag feed": ("/tags/song.atom", "a wren sings"),
        "public feed": ("/public.atom", "a wren sings"),
    }


def visitor_pages(scene: Scene) -> dict[str, tuple[str, str]]:
    """Return the pages that a visitor opens by row: the path, and the text looked for."""
    thread = f"/@ibis/{scene.ibis_status}"
    return {
        "visitor profile": ("/@wren", "a wren sings"),
        "visitor public": ("/public", "a wren sings"),
        "visitor permalink": (f"/@wren/{scene.song}", "a wren sings"),
        "visitor tag": ("/tags/song", "a wren sings"),
        "visitor other's list": ("/@ibis/lists/1", "a wren sings"),
        "visitor thread below": (thread, "a wren trills back"),
        "visitor quote card": (f"/@jay/{scene.quote}", "a wren sings"),
        "visitor quotes": (f"{thread}/quotes", "a wren quips"),
        "visitor profile, boosted by ibis": ("/@ibis", "a wren hums"),
        "visitor list, boosted by wren": ("/@ibis/lists/1", "a kite soars"),
    }


@pytest.mark.parametrize("column", COLUMNS)
def test_pages_show_statuses_as_the_relationship_allows(scene: Scene, column: str) -> None:
    change_relationship(scene, column)
    kinds = {row.split()[0] for row in ROWS} - {"live", "api", "program"}
    assert rows_on_pages(scene) == expected_rows(column, *kinds)


@pytest.mark.parametrize("column", COLUMNS)
def test_streams_send_statuses_as_the_relationship_allows(
    scene: Scene, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = lambda: change_relationship(scene, column)
    before, after, resumed = rows_on_streams(scene, monkeypatch, change)
    assert before == after == expected_rows(column, "live", "api", "program")
    assert resumed == expected_rows(column, "live")


def test_a_mute_that_expires_stops_hiding_on_open_streams(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mute_and_let_it_expire() -> None:
        mutes.mute(scene.site, scene.uids["finch"], "wren", 3_600)
        worker.drain(scene.site)
        later = SimpleNamespace(time=lambda: time.time() + 7_200)
        monkeypatch.setattr("webapp.streaming.log.messages.time", later)

    before, after, _ = rows_on_streams(scene, monkeypatch, mute_and_let_it_expire)
    assert before == after == expected_rows("expired", "live", "api", "program")
