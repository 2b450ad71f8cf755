"""Posts from archives of Mastodon and X come in at their old dates, once, and can be taken back."""

import csv
import json
import zipfile
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.searching import latest as found_by
from tests.support.settings import with_settings
from tests.support.world import Web, World, post
from webapp.accounts import keys as account_keys
from webapp.archive import files, keys, tasks
from webapp.archive.posts import old_posts, slices, unpacking
from webapp.archive.posts.old_posts import OldPost
from webapp.archive.posts.store import import_post
from webapp.archive.tasks import POSTS, Task
from webapp.archive.worker import DataTasks
from webapp.core.errors import Invalid
from webapp.core.store import PARTITIONS, Site, created_at, ids, partition_of
from webapp.moderation.bans import projections as flagged
from webapp.notifications.keys import notifications
from webapp.reports import store as reports
from webapp.reports.keys import report_queue
from webapp.site_settings import HIDE, REPORT, REVIEW, WORD, Ban, BanList
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines.profile import ProfileQuery, profile_page

URL = "https://linnet.example"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
OLD = datetime(2019, 3, 4, 5, 6, 7, tzinfo=UTC)


def note(number: int, content: str = "", **fields: Any) -> dict[str, Any]:
    """Return an entry of an outbox: a note of OLD and so many days."""
    published = (OLD + timedelta(days=number)).isoformat().replace("+00:00", "Z")
    one = {
        "id": f"https://else.example/statuses/{number}",
        "type": "Note",
        "published": published,
        "content": content or f"<p>wren {number}</p>",
        "to": [PUBLIC],
        "cc": [],
        **fields,
    }
    return {"type": "Create", "published": published, "object": one}


def outbox(*items: Any) -> bytes:
    return json.dumps({"type": "OrderedCollection", "orderedItems": items}).encode()


def tweet(number: int, text: str, **fields: Any) -> dict[str, Any]:
    at = f"{OLD + timedelta(days=number):%a %b %d %H:%M:%S +0000 %Y}"
    return {"tweet": {"id_str": str(number), "full_text": text, "created_at": at, **fields}}


def tweets(*items: Any) -> bytes:
    return b"window.YTD.tweets.part0 = " + json.dumps(items).encode()


def zipped(name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def latest(site: Site, uid: int) -> Task:
    return site.db.read(tasks.tasks_of(uid))[POSTS]


def run(site: Site, uid: int, content: bytes) -> list[list[str]]:
    """Import an archive, and return the rows of the report."""
    slices.begin_import(site, uid, content, URL, "en")
    assert DataTasks(site).run_due() == 1
    report = files.result_file(site.config, uid, latest(site, uid)).read_text()
    rows = list(csv.reader(report.splitlines()))
    assert len(rows) == latest(site, uid).skipped
    return rows


def stored(site: Site, uid: int) -> list[dict[str, str]]:
    """Return a member's imported posts, the oldest first."""
    found = []
    for key in status_keys.authored_lists(uid):
        for entry in site.db.run(("ZRANGE", key, 0, -1)):
            fields = site.db.run(("HGETALL", status_keys.status(int(entry.partition(":")[0]))))
            found.append({"id": entry, **dict(zip(fields[::2], fields[1::2], strict=True))})
    return sorted((one for one in found if "imported" in one), key=lambda one: int(one["id"]))


def test_notes_come_with_their_dates_and_nobody_is_told(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    new = world.do(post, ann, "a new wren")
    home = world.db.run(("ZRANGE", account_keys.home(ben), 0, -1))
    answer = {"inReplyTo": "https://else.example/statuses/1"}
    content = outbox(
        note(
            3,
            "<p>two<br>lines</p><p>&amp; a <a href='https://x.example'>"
            "<span>https://</span><span>x.example</span></a> @ben #Birds</p>",
        ),
        note(1, "<p>the first</p>", summary="birds", sensitive=True),
        note(2, "<p>goes on</p>", **answer),
        note(4, to=["https://else.example/ann/followers"]),
        note(5, to=[], cc=[PUBLIC]),
    )
    assert run(world, ann, zipped("outbox.json", content)) == []
    world.apply_events()
    first, second, third, hidden, unlisted = stored(world, ann)
    found = [world.status(int(one["id"]), ann).created for one in stored(world, ann)]
    assert found == [OLD + timedelta(days=number) for number in range(1, 6)]
    assert (first["text"], first["cw"], first["sensitive"]) == ("the first", "birds", "1")
    assert (second["reply_to_id"], first["replies"]) == (first["id"], "1")
    assert third["text"] == "two\nlines\n\n& a https://x.example @ben #Birds"
    assert '"mention"' not in third["entities"] and '"hashtag"' in third["entities"]
    assert (hidden["visibility"], unlisted["visibility"]) == ("f", "u")
    page = profile_page(world, ProfileQuery("ann", with_replies=True)).timeline.items
    shown = [int(one["id"]) for one in (unlisted, third, second, first)]
    assert [one.id for one in page] == [new, *shown]
    assert found_by(world, "wren OR first") == [new, int(first["id"])]
    assert world.db.run(("ZRANGE", account_keys.home(ben), 0, -1)) == home
    assert world.db.run(("ZCARD", notifications(ben))) == 0
    assert world.db.run(("ZRANGE", timeline_keys.public_timeline(), 0, -1)) == [f"{new}:{ann}"]


def test_warnings_of_old_posts_are_cleaned_as_those_of_new_ones_are(world: World) -> None:
    (ann,) = world.people("ann")
    warnings = ["\u202e birds\0\n wings", "\u200b", "\u0958" * 100]
    notes = [note(number, "<p>hm</p>", summary=text) for number, text in enumerate(warnings, 1)]
    assert run(world, ann, outbox(*notes)) == []
    cleaned = ["birds wings", "", "\u0915\u093c" * 50]
    assert [one.get("cw", "") for one in stored(world, ann)] == cleaned


def test_tweets_come_with_whole_addresses_and_the_rest_is_reported(world: World) -> None:
    (ann,) = world.people("ann")
    links = {
        "urls": [{"url": "https://t.co/a", "expanded_url": "https://x.example/long"}],
        "media": [{"url": "https://t.co/p"}],
    }
    rows = run(
        world,
        ann,
        tweets(
            tweet(1, "a &lt;b&gt; https://t.co/a https://t.co/p", entities=links),
            tweet(2, "and on", in_reply_to_status_id_str="1"),
            tweet(3, "RT @ben: hm"),
            tweet(4, "@ben no", in_reply_to_status_id_str="77", in_reply_to_user_id_str="7"),
            tweet(5, "https://t.co/p", entities=links),
            {"tweet": {"id_str": 6}},
            tweet(7, "x" * 5_000),
            tweet(36_500, "of the next century"),
            tweet(-36_500, "of the last one"),
        ),
    )
    texts = [one["text"] for one in stored(world, ann)]
    assert texts == ["a <b> https://x.example/long", "and on"]
    reasons = {row[0]: row[2] for row in rows}
    assert {key: reasons[key].split(".")[0] for key in reasons} == {
        "3": "It’s a boost of someone else’s post",
        "4": "It answers a post that isn’t imported",
        "5": "It has no text",
        "": "It can’t be read",
        "7": "Its text is too long",
        "36500": "Its date is missing, or not possible",
        "-36500": "Its date is missing, or not possible",
    }


def test_short_addresses_cannot_make_a_text_of_any_length() -> None:
    growing = {"url": "a", "expanded_url": "a" * 50}
    everywhere = {"url": "", "expanded_url": "b" * 50}
    items = [
        tweet(1, "a" * 100, entities={"urls": [growing] * 5}),
        tweet(2, "c" * 100, entities={"urls": [everywhere], "media": [everywhere]}),
    ]
    grown, same = old_posts.read_posts(tweets(*items))
    assert (grown.text, same.text) == ("a" * (100 + 5 * 49), "c" * 100)


def test_notes_that_do_not_fit_are_reported(world: World) -> None:
    (ann,) = world.people("ann")
    rows = run(
        world,
        ann,
        outbox(
            {"type": "Announce", "object": "https://else.example/1"},
            note(1, type="Question"),
            note(2, to=["https://else.example/ben"]),
            note(3, inReplyTo="https://else.example/others/9"),
            note(4, inReplyTo="https://else.example/statuses/3"),
            note(5, published="soon"),
            note(6, published="0001-01-01T00:00:00"),
            note(7, id="x" * 501),
            {"type": "Create"},
            [],
        ),
    )
    assert len(rows) == 10 and stored(world, ann) == []
    assert latest(world, ann).done == 0


@pytest.mark.parametrize("lone", [r"\ud83d", r"\udc26 \ud83d", r"\ud83d\ud83d\udc26", "\udcff"])
@pytest.mark.parametrize("make", ["notes", "tweets"])
def test_half_a_character_hides_only_its_own_post(world: World, make: str, lone: str) -> None:
    (ann,) = world.people("ann")
    texts = ["HERE", r"a \ud83d", "a \U0001f426"]
    one = tweets if make == "tweets" else outbox
    content = one(*((tweet if one is tweets else note)(n, text) for n, text in enumerate(texts)))
    rows = run(world, ann, content.replace(b"HERE", lone.encode("utf-8", "surrogateescape")))
    assert [one["text"] for one in stored(world, ann)] == texts[1:]
    assert [row[2] for row in rows] == ["It can’t be read."]


def test_many_posts_of_one_second_keep_their_order_and_the_same_archive_adds_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 4)
    monkeypatch.setattr(ids, "IMPORTED_IDS", 16)
    (ann,) = world.people("ann")
    every = [tweet(0, f"wren {number}", id_str=str(number)) for number in range(18)]
    content = tweets(*every[::-1])  # as X has them
    rows = run(world, ann, content)
    assert [one["text"] for one in stored(world, ann)] == [f"wren {n}" for n in range(16)]
    assert [row[0] for row in rows] == ["16", "17"]
    run(world, ann, content)
    assert len(stored(world, ann)) == 16
    last = latest(world, ann)
    slices.begin_undo(world, ann, last.removable, last.token, "en")
    DataTasks(world).run_due()
    assert stored(world, ann) == [] and latest(world, ann).done == 16


@pytest.mark.parametrize("year", [2019, 2026])
def test_a_post_can_be_imported_and_removed_again_and_again(world: World, year: int) -> None:
    (ann,) = world.people("ann")
    at = datetime(year, 3, 4, tzinfo=UTC)
    post = OldPost("1", int(at.timestamp() * 1000), "wren")
    imported = []
    for _ in range(40):
        imported.append(import_post(world, ann, "token", post, {}))
        world.delete(ann, imported[-1])
    assert imported == sorted(set(imported))
    assert timedelta(0) < created_at(imported[-1]) - at < timedelta(seconds=40)


def test_old_posts_with_refused_words_do_not_push_out_other_reports(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flagged, "IMPORTED_MAX", 3)
    (ann,) = world.people("ann")
    about, bans = report_queue(f"about.{ann}"), BanList((Ban(WORD, "casino", REPORT),))
    for done in (0, 3):
        old = (tweet(10 * done + n, "a casino") for n in range(1, 10))
        run(with_settings(world, bans=bans), ann, tweets(*old))
        world.apply_events()
        assert len(stored(world, ann)) == 9 * (1 + done // 3)
        assert world.db.run(("ZCARD", about)) == 3 + done, "those that are done count no longer"
        reports.close(world, world.db.run(("ZRANGE", about, 0, -1)), 0, "dismiss")


@pytest.mark.parametrize("action", [HIDE, REVIEW])
def test_old_posts_with_hidden_words_are_unlisted(world: World, action: str) -> None:
    (ann,) = world.people("ann")
    hidden = with_settings(world, bans=BanList((Ban(WORD, "casino", action),)))
    run(hidden, ann, tweets(tweet(1, "a casino"), tweet(2, "a reed")))
    assert [one.get("visibility", "") for one in stored(world, ann)] == ["u", ""]


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_deleted_post_leaves_its_id_to_nobody(world: World, is_gone: bool) -> None:
    ann, ben = world.people("ann", "ben")
    world.db.run(("SET", account_keys.last_uid(), ann + PARTITIONS - 1))
    (again,) = world.people("again")
    assert partition_of(ann) == partition_of(again)
    world.do(run, ann, tweets(tweet(1, "a kind word")))
    status_id = int(stored(world, ann)[0]["id"])
    world.bookmark(ben, status_id)
    if is_gone:
        world.delete_account(ann, None)
    else:
        world.delete(ann, status_id)
    world.apply_events()
    importer = again if is_gone else ann
    run(world, importer, tweets(tweet(1, "something else")))
    assert [one["text"] for one in stored(world, importer)] == ["something else"]
    assert world.db.run(("EXISTS", status_keys.status(status_id))) == 0


@pytest.mark.parametrize("trips", [*range(1, 16, 3), 24])
def test_an_import_goes_on_after_a_crash(
    world: World, monkeypatch: pytest.MonkeyPatch, trips: int
) -> None:
    monkeypatch.setattr(slices, "SLICE", 3)
    (ann,) = world.people("ann")
    thread = {"in_reply_to_status_id_str": "1"}
    items = [tweet(n, f"wren {n}", **(thread if n in (2, 5) else {})) for n in range(1, 8)]
    slices.begin_import(world, ann, tweets(*items, tweet(9, "RT @x: y")), URL, "en")
    [claimed] = tasks.claim(world.db, partition_of(ann), ())
    with pytest.raises(Crashed):
        DataTasks(Site(CrashingDb(world.db, trips), world.config)).do(claimed)
        raise Crashed
    world.db.run(("ZADD", keys.due_tasks(partition_of(ann)), "XX", 0, f"{ann}:{POSTS}"))
    DataTasks(world).run_due()
    assert [one["text"] for one in stored(world, ann)] == [f"wren {n}" for n in range(1, 8)]
    assert [one.get("reply_to_id") for one in stored(world, ann)].count(None) == 5
    assert (latest(world, ann).done, latest(world, ann).skipped) == (7, 1)


def test_an_import_is_taken_back_as_one_even_after_a_crash(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 2)
    (ann,) = world.people("ann")
    kept = post(world, ann, "mine")
    world.do(run, ann, tweets(*(tweet(n, f"wren {n}") for n in range(5))))
    last = latest(world, ann)
    slices.begin_undo(world, ann, last.removable, last.token, "en")
    [claimed] = tasks.claim(world.db, partition_of(ann), ())
    with pytest.raises(Crashed):
        DataTasks(Site(CrashingDb(world.db, 8), world.config)).do(claimed)
    world.db.run(("ZADD", keys.due_tasks(partition_of(ann)), 0, f"{ann}:{POSTS}"))
    DataTasks(world).run_due()
    world.apply_events()
    assert world.db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1)) == [str(kept)]
    assert found_by(world, "wren") == [] and latest(world, ann).ended_at


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"PK\x03\x04 not a zip",
        zipped("readme.txt", b"{}"),
        b"PK" + unpacking.ENTRY_MARK * (unpacking.ENTRIES_MAX + 1),
        zipped("outbox.json", b"[" * 10),
        zipped("outbox.json", b"{}", zipfile.ZIP_BZIP2),
        zipped("outbox.json", b"{}", zipfile.ZIP_LZMA),
        zipped("\xe9", b"{}").replace(b"\xc3\xa9", b"\xff\xff"),
    ],
)
def test_a_file_without_posts_is_refused(content: bytes) -> None:
    with pytest.raises(Invalid):
        unpacking.unpack(content)


def test_a_zip_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "JSON_MAX", 1_000)
    with pytest.raises(Invalid, match="posts_long"):
        unpacking.unpack(zipped("outbox.json", b" " * 10_000_000))


@pytest.mark.parametrize(("commas", "items"), [(10, 100), (100, 10)])
def test_an_archive_of_many_things_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch, commas: int, items: int
) -> None:
    monkeypatch.setattr(old_posts, "COMMAS_MAX", commas)
    monkeypatch.setattr(old_posts, "ITEMS_MAX", items)
    with pytest.raises(Invalid, match="posts_long"):
        old_posts.read_posts(outbox(*[1] * 20))


@pytest.mark.parametrize(
    "content", [b"{", b'{"orderedItems": 1}', b"window.YTD.tweets.part0 = {", b"{" * 100_000]
)
def test_an_import_that_cannot_be_read_fails(world: World, content: bytes) -> None:
    (ann,) = world.people("ann")
    slices.begin_import(world, ann, content, URL, "en")
    DataTasks(world).run_due()
    assert latest(world, ann).failed


def test_the_page_takes_a_file_and_says_how_it_went(ann: FlaskClient, web: Web) -> None:
    for file in (None, (BytesIO(b"hm"), "x.zip")):
        answer = ann.post("/settings/data/posts", data={"posts": file} if file else {})
        assert answer.status_code == 422
    form = {"posts": (BytesIO(tweets(tweet(1, "a wren"), tweet(2, "RT @x: y"))), "tweets.js")}
    answer = ann.post("/settings/data/posts", data=form)
    assert answer.status_code == 303
    assert "We’re importing your posts" in ann.get("/settings/data").text
    DataTasks(web).run_due()
    page = ann.get("/settings/data").text
    assert "1 post was imported." in page and "1 post didn’t fit." in page
    assert "RT" not in ann.get("/settings/data/posts.csv").text
    assert "a wren" in web.client.get("/@ann").text
    assert "Mar 5, 2019" in web.client.get("/@ann").text
    half = replace(latest(web, 1), failed=True)  # after some of its posts
    web.db.run(("HSET", keys.data_tasks(1), POSTS, json.dumps(asdict(half))))
    assert "1 imported post" in ann.get("/settings/data").text
    for content in (outbox({}), b"{", outbox()):  # what brings nothing leaves the way back open
        assert ann.post("/settings/data/posts", data={"posts": (BytesIO(content), "x")})
        undo = {"import": half.token}
        assert ann.post("/settings/data/posts/undo", data=undo).status_code == 409
        DataTasks(web).run_due()
    assert "1 imported post" in ann.get("/settings/data").text
    assert ann.post("/settings/data/posts/undo", data=undo).status_code == 303
    DataTasks(web).run_due()
    assert "1 post was removed." in ann.get("/settings/data").text
    assert ann.post("/settings/data/posts/undo", data=undo).status_code == 404
    assert "a wren" not in web.client.get("/@ann").text


def test_each_of_the_last_imports_can_be_removed_for_a_week(
    ann: FlaskClient, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "IMPORTS_MAX", 3)
    for number in range(4):
        file = BytesIO(tweets(tweet(number, f"wren {number}")))
        ann.post("/settings/data/posts", data={"posts": (file, "tweets.js")})
        DataTasks(web).run_due()
    imports = latest(web, 1).removable
    assert ann.get("/settings/data").text.count("1 imported post") == 3
    undo = {"import": imports[1].token}
    assert ann.post("/settings/data/posts/undo", data=undo).status_code == 303
    DataTasks(web).run_due()
    assert [one["text"] for one in stored(web, 1)] == ["wren 0", "wren 1", "wren 3"]
    last = latest(web, 1)
    assert [one.token for one in last.removable] == [imports[0].token, imports[2].token]
    old = replace(imports[2], ended_at=imports[2].ended_at - 7 * tasks.DAY_MS)
    assert replace(last, earlier=(imports[0], old)).removable == imports[:1]
