"""Pages of notifications without scripts: lists, read marks, the badge and preferences."""

import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import SignUp, make_app
from tests.support import worker
from tests.support.pages import check_error, join, older_link, post_status
from webapp.chat.bots import deliveries, keys as bot_keys, store as bots, webhooks
from webapp.config import Config
from webapp.core.store import Site
from webapp.notifications.kinds import KINDS


def shown(answer: TestResponse) -> list[str]:
    """Return a page's groups as sentences, each with its status after a stroke."""
    assert answer.status_code == 200, answer.text
    items = re.findall(r'<li class="notification.*?</li>', answer.text, re.DOTALL)
    heads = [
        re.search(
            r'<p class="notification-head"><span>(.*?)</span> <span class="notification-time">',
            item,
        )
        for item in items
    ]
    texts = [
        re.search(
            r'<p class="notification-status" dir="auto"><a href="[^"]+">(.*?)</a>', item, re.DOTALL
        )
        for item in items
    ]
    assert all(heads)
    plain = [re.sub("<[^>]+>", "", head[1]) for head in heads if head]
    return [
        f"{head} | {text[1]}" if text else head for head, text in zip(plain, texts, strict=True)
    ]


def badge(client: FlaskClient, path: str = "/public") -> int:
    """Return the number in a page's header."""
    return badge_of(client.get(path))


def badge_of(answer: TestResponse) -> int:
    """Return the same, of a page that was read."""
    found = re.search(r'data-badge="notifications"( hidden)?><span>(\d+)<', answer.text)
    assert found and bool(found[1]) == (found[2] == "0")
    return int(found[2])


def test_notifications_are_grouped_and_link_to_their_subjects(member: SignUp) -> None:
    ann, ben, cid, dot = (member(login) for login in ("ann", "ben", "cid", "dot"))
    assert "No notifications yet" in ann.get("/notifications").text
    status_id = post_status(ann, "a song")
    for liker in (ben, cid, dot):
        liker.post(f"/statuses/{status_id}/like")
    mention_id = post_status(ben, "hello <b>@ann</b>")
    for follower in (ben, cid):
        follower.post("/@ann/follow")
    page = ann.get("/notifications")
    assert shown(page) == [
        "New: Cid and Ben followed you",
        "New: Ben mentioned you | hello &lt;b&gt;@ann&lt;/b&gt;",
        "New: Dot, Cid and 1 other liked your post | a song",
    ]
    assert page.headers["Cache-Control"] == "no-store"
    for path in (f"/@ann/{status_id}", f"/@ben/{mention_id}", "/@dot"):
        assert f'href="{path}"' in page.text
    ben.post(f"/statuses/{status_id}/unlike")
    ann.set_cookie("linnet_lang", "zh")
    expected = ["Cid 和 Ben 关注了你", "Dot 和 Cid 赞了你的动态 | a song"]
    assert shown(ann.get("/notifications"))[::2] == expected


def test_a_tab_shows_its_kinds_and_pages_continue_from_a_cursor(settings: Config) -> None:
    app = make_app(replace(settings, page_size=2))
    ann, ben = join(app, "ann"), join(app, "ben")
    for n in range(3):
        ben.post(f"/statuses/{post_status(ann, f'song {n}')}/like")
        post_status(ben, f"hey @ann {n}")
    ben.post("/@ann/follow")
    tabs = {
        "/notifications/likes": [f"liked your post | song {n}" for n in (2, 1, 0)],
        "/notifications/mentions": [f"mentioned you | hey @ann {n}" for n in (2, 1, 0)],
        "/notifications/follows": ["followed you"],
    }
    for path, expected in tabs.items():
        page = ann.get(path)
        sentences, next_ = shown(page), older_link(page)
        assert re.findall(r'href="([^"]+)" aria-current="page"', page.text)[-1] == path
        if next_:
            assert next_.startswith(f"{path}?max_id=")
            sentences += shown(ann.get(next_))
        found = [sentence.removeprefix("New: ").removeprefix("Ben ") for sentence in sentences]
        assert found == expected
    assert "You’ve reached the end" in ann.get("/notifications?max_id=1").text
    app.extensions["linnet.db"].close()


def test_opening_a_page_marks_its_notifications_as_read(ann: FlaskClient, ben: FlaskClient) -> None:
    ben.post(f"/statuses/{post_status(ann, 'a song')}/like")
    ben.post("/@ann/follow")
    assert badge(ann) == badge(ann, "/home") == badge(ann, "/chats") == 2 and badge(ben) == 0
    assert badge_of(ann.get("/notifications/likes")) == 1
    page = ann.get("/notifications")
    assert shown(page) == ["New: Ben followed you", "Ben liked your post | a song"]
    assert badge_of(page) == 0
    assert shown(ann.get("/notifications"))[0] == "Ben followed you" and badge(ann) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
        {"Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Dest": "empty"},
    ],
    ids=str,
)
def test_a_prefetched_page_marks_nothing_as_read(member: SignUp, headers: dict[str, str]) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    assert shown(ann.get("/notifications", headers=headers)) == ["New: Ben followed you"]
    assert ann.head("/notifications").status_code == 200 and badge(ann) == 1
    assert (
        badge_of(ann.get("/notifications", headers={"Sec-Fetch-Dest": "document"}))
        == 0
        == badge(ann)
    )


def test_the_script_of_an_open_page_marks_what_a_click_shows(member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    headers = {"Sec-Fetch-Dest": "empty", "X-Viewed-By-Person": "1"}
    assert shown(ann.get("/notifications", headers=headers)) == ["New: Ben followed you"]
    assert badge(ann) == 0


def test_one_button_marks_all_as_read(settings: Config) -> None:
    app = make_app(replace(settings, page_size=1))
    ann, ben = join(app, "ann"), join(app, "ben")
    for n in range(3):
        ben.post(f"/statuses/{post_status(ann, f'song {n}')}/like")
    page = ann.get("/notifications")
    assert badge_of(page) == 2 and 'action="/notifications/read"' in page.text
    answer = ann.post("/notifications/read")
    assert (answer.status_code, answer.location) == (303, "/notifications") and badge(ann) == 0
    assert 'action="/notifications/read"' not in ann.get("/notifications").text
    app.extensions["linnet.db"].close()


def test_the_page_leads_to_a_bot_whose_messages_do_not_arrive(
    app: Flask, config: Config, member: SignUp
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    bot = bots.create_bot(Site(db, config), 1, "jay", "Jay").uid
    webhooks.set_webhook(Site(db, config), bot, "https://example.org/hook")
    db.run(("ZADD", bot_keys.webhook_queue(bot), 1, "1-1"))
    delivery = deliveries.ClaimedDelivery(bot, "1-1", None, "", "", "0")
    payload = deliveries.Payload("1", 1, 1, 8, "answer 500")
    deliveries.finish(Site(db, config), delivery, "given up", payload)
    worker.drain(Site(db, config))
    page = ann.get("/notifications")
    assert "Messages couldn’t be delivered to your bot" in page.text
    link = re.search(r'<a href="(/settings/bots/jay)">@jay</a>', page.text)
    assert link and ann.get(link[1]).status_code == 200
    settings = ann.get("/settings/notifications").text
    assert 'name="push_undelivered"' in settings and 'name="undelivered"' not in settings


def test_preferences_are_saved_and_applied(ann: FlaskClient, ben: FlaskClient) -> None:
    page = ann.get("/settings/notifications").text
    kinds = {name for name, kind in KINDS.items() if not kind.about_own}
    assert _choices(page, "everyone") == [kind for kind in KINDS if kind in kinds]
    chosen = dict.fromkeys(kinds, "everyone") | {"mention": "followed", "like": "nobody"}
    answer = ann.post("/settings/notifications", data=chosen)
    assert (answer.status_code, answer.location) == (303, "/settings/notifications")
    page = ann.get("/settings/notifications").text
    assert "Settings saved." in page
    for kind, choice in chosen.items():
        assert kind in _choices(page, choice)
    ben.post(f"/statuses/{post_status(ann, 'a song')}/like")
    post_status(ben, "hey @ann")
    ben.post("/@ann/follow")
    assert shown(ann.get("/notifications")) == ["New: Ben followed you"]
    for invalid in ({}, {"mention": "x", "like": "nobody", "follow": "nobody"}, {"like": "nobody"}):
        answer = ann.post("/settings/notifications", data=invalid)
        assert answer.status_code == 422 and "field-error" in answer.text
    page = ann.get("/settings/notifications").text
    assert (_choices(page, "nobody"), _choices(page, "followed")) == (["like"], ["mention"])


def _choices(page: str, choice: str) -> list[str]:
    """Return the kinds for which a choice is selected."""
    selects = re.findall(r'<select[^>]* name="(\w+)".*?<option selected value="(\w+)">', page, re.S)
    return [name for name, value in selects if value == choice]


def test_notifications_are_private(client: FlaskClient, member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    assert shown(ben.get("/notifications")) == []
    assert client.post("/notifications/read").status_code == 303 and badge(ann) == 1
    for path in ("/notifications/x", "/notifications/all"):
        check_error(ann.get(path), 404)
    check_error(ann.get("/notifications?max_id=x"), 422)
    check_error(ann.get("/notifications/read"), 404)
    assert "data-badge" not in client.get("/public").text


def test_a_page_takes_at_most_four_trips(app: Flask, member: SignUp) -> None:
    ann, others = member("ann"), [member(f"bird{n}") for n in range(4)]
    for n in range(4):
        status_id = post_status(ann, f"song {n}")
        for other in others:
            other.post(f"/statuses/{status_id}/like")
            post_status(other, f"hey @ann {n}")
    db = app.extensions["linnet.db"]
    counts = []
    for path in ("/notifications", "/notifications", "/notifications/follows", "/public"):
        trips = db.trips
        ann.get(path)
        counts.append(db.trips - trips)
    assert counts == [4, 4, 2, 2]


def test_refused_choices_say_so_where_they_were_made(member: SignUp) -> None:
    ann, (first, second) = member("ann"), list(KINDS)[1:3]
    chosen = dict.fromkeys(KINDS, "everyone") | {first: "x", second: "x"}
    refused = ann.post("/settings/notifications", data=chosen)
    assert refused.status_code == 422
    tags = {
        tag[1]: tag[0] for tag in re.findall(r'(<select [^>]*name="(\w+)"[^>]*>)', refused.text)
    }
    for kind in (first, second):
        assert f'aria-describedby="{kind}-error"' in tags[kind]
        assert refused.text.count(f'id="{kind}-error"') == 1
    assert [kind for kind, tag in tags.items() if " autofocus" in tag] == [first]
    assert "aria-describedby" not in tags[next(iter(KINDS))]
