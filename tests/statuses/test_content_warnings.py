"""Content warnings: posted, stored in drafts, and shown before the text everywhere."""

import re
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.statuses.forms import composer_text, field_value, warnings
from tests.support.world import Web, World
from webapp.accounts import registration, store as accounts
from webapp.statuses.drafts import store as drafts
from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LogPosition
from webapp.streaming.translation.translate import translate


@pytest.mark.parametrize(
    ("raw", "cw"),
    [
        ("", ""),
        (" \n\u200b", ""),
        (" end of\n the  song ", "end of the song"),
        ("<b>&", "<b>&"),
        ("界" * 100, "界" * 100),
    ],
)
def test_a_warning_is_cleaned_to_one_line_and_hides_the_text(raw: str, cw: str, web: Web) -> None:
    ann = web.member("ann")
    assert ann.post("/statuses", data={"text": "x" * 280, "cw": raw}).status_code == 303
    page = ann.get("/home").text
    path = re.findall(r'class="status-time" href="([^"]+)"', page)[0]
    number = path.rpartition("/")[2]
    for address in ("/home", "/@ann", "/public", "/", path, f"/statuses?ids={number}"):
        found = warnings((web.client if address == "/" else ann).get(address).text)
        assert found == ([(cw, True)] if cw else []), address
    assert "x" * 280 in page
    ann.post(f"/statuses/{number}/bookmark")
    assert warnings(ann.get("/bookmarks").text) == ([(cw, True)] if cw else [])


def test_a_warning_over_the_limit_comes_back_with_the_form(ann: FlaskClient) -> None:
    response = ann.post("/statuses", data={"text": "here", "cw": "x" * 101})
    assert response.status_code == 422
    assert "That’s 101 characters. The limit is 100." in response.text
    assert (composer_text(response), field_value(response, "cw")) == ("here", "x" * 101)
    assert re.search(r'<details class="composer-part" open', response.text)
    assert re.search(r'<details class="composer-part">', ann.get("/home").text)


def test_feeds_and_previews_show_the_warning_instead_of_the_text(web: Web) -> None:
    ann = web.member("ann")
    ann.post("/statuses", data={"text": "the dunnock wins", "cw": "spoiler"})
    path = re.findall(r'class="status-time" href="([^"]+)"', ann.get("/home").text)[0]
    head = web.client.get(path).text.partition("</head>")[0]
    assert "spoiler" in head and "dunnock" not in head
    for feed in ("/public.atom", "/@ann/feed.atom"):
        entry = web.client.get(feed).text
        assert "<title>Warning: spoiler</title>" in entry
        assert '<summary type="text">Warning: spoiler</summary>' in entry
        assert "dunnock" not in entry
    number = path.rpartition("/")[2]
    card = ann.get(f"/chats/forward?status={number}").text
    assert "Warning: spoiler" in card and "dunnock" not in card


def test_a_draft_is_published_with_its_warning(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    ann.post("/drafts", data={"text": "hello", "cw": "spoiler", "key": "form-key-1"})
    page = ann.get("/drafts/form-key-1")
    assert field_value(page, "cw") == "spoiler"
    assert '<details class="composer-part" open' in page.text
    due = datetime.now(UTC) - timedelta(days=1)
    drafts.save(
        web,
        db.read(accounts.uid_by_login("ann")),
        "form-key-1",
        {"text": "hello", "cw": " a\n b "},
        due,
    )
    worker.publish_due(web)
    assert warnings(ann.get("/@ann").text) == [("a b", True)]


def test_streams_send_the_warning_and_mark_the_status_sensitive(world: World) -> None:
    ann = registration.sign_up(world, "ann", "Ann", PASSWORD).uid
    created = [world.post(ann, "hello", cw=cw) for cw in ("", "spoiler")]
    entries = [
        LogEntry(
            LogPosition(1, index), {"type": "posted", "id": str(status_id), "author": str(ann)}
        )
        for index, status_id in enumerate(created)
    ]
    messages = [
        message for message in translate(world.db, entries, "") if isinstance(message, Message)
    ]
    bodies = [orjson.loads(message.body) for message in messages]
    assert [
        (one["text"], one["spoiler_text"], one["possibly_sensitive"], one["filter_level"])
        for one in bodies
    ] == [("hello", "", False, "medium"), ("hello", "spoiler", True, "none")]
    found = [message.subject is not None and message.subject.sensitive for message in messages]
    assert found == [False, True]
    seen = [orjson.loads(message.sse.split(b"data: ")[1])["spoiler_text"] for message in messages]
    assert seen == ["", "spoiler"]
