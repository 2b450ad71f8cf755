"""Replies on pages: the act that leads to the composer, what stands in it, threads, profiles' tabs, and kept pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.core.rendering.test_fragments import articles
from tests.system.test_pages import shown, write
from webapp.config import Config

Join = Callable[[str], FlaskClient]
GAP = ">This post was deleted.<"


def reply(client: FlaskClient, to: int, text: str) -> int:
    """Answers, and gives the id of the answer."""
    answer = client.post("/statuses", data={"text": text, "reply": str(to)})
    assert answer.status_code == 303, answer.text
    return int(answer.location.rpartition("-")[2])


def composer(client: FlaskClient, path: str) -> tuple[str, str]:
    """What stands in the composer of a page, and what it answers."""
    page = client.get(path).text
    text = re.search(r'<textarea[^>]*name="text"[^>]*>\s*(.*?)</textarea>', page, re.DOTALL)
    to = re.search(r'name="reply"[^>]*value="(\d+)"', page)
    assert text, page
    return unescape(text[1]).replace("\r\n", "\n"), to[1] if to else ""


def test_a_member_answers_under_the_post_and_sees_the_reply_at_once(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    act = re.search(r'<a class="act act-reply" href="([^"]+)"', articles(ben, "/public")[status_id])
    assert act and act[1] == f"/@ann/{status_id}#text"
    page = ben.get(act[1]).text
    assert '<a class="act act-reply" href="#text"' in page and ">Reply</button>" in page
    assert composer(ben, f"/@ann/{status_id}") == ("@ann ", str(status_id))
    answer = ben.post("/statuses", data={"text": "@ann hello yourself", "reply": status_id})
    made = int(answer.location.rpartition("-")[2])
    assert answer.location == f"/@ben/{made}#status-{made}"
    assert shown(ben.get(answer.location)) == [status_id, made]
    assert shown(client.get(f"/@ann/{status_id}")) == [status_id, made]
    words = re.sub(r"<[^>]+>", "", articles(client, f"/@ben/{made}")[made])
    assert "Replying to @ann" in words
    assert f'<a href="/@ann/{status_id}">@ann</a>' in articles(client, f"/@ben/{made}")[made]
    count = re.search(r'act-reply".*?</svg> (\d+)</a>', articles(ben, "/public")[status_id])
    assert count and count[1] == "1"
    number = re.search(r'<p class="status-acted">(.*?)</p>', articles(client, "/@ann")[status_id])
    assert number and " ".join(re.sub("<[^>]+>", " ", number[1]).split()) == "1 reply"
    zh = {"Accept-Language": "zh"}
    assert "1 条回复" in " ".join(
        re.sub("<[^>]+>", "", client.get("/@ann", headers=zh).text).split()
    )


def test_whom_a_reply_is_to_reach_stands_in_it_already(member: Join) -> None:
    ann, ben, cid = member("ann"), member("Ben"), member("cid")
    status_id = write(ann, "with @ben, @CID, @nobody and @Ann @ben")
    assert composer(cid, f"/@ann/{status_id}")[0] == "@ann @ben @nobody "
    assert composer(ben, f"/@ann/{status_id}")[0] == "@ann @CID @nobody "
    assert composer(ann, f"/@ann/{status_id}")[0] == "@ben @CID @nobody "
    assert composer(ann, "/home") == ("", "")
    many = write(ann, " ".join(f"@b{number}" for number in range(40)))
    assert len(composer(ben, f"/@ann/{many}")[0].split()) == 10


def test_a_visitor_is_asked_to_come_in_and_reads_the_thread(
    client: FlaskClient, member: Join
) -> None:
    ann = member("ann")
    status_id = write(ann, "hello")
    made = reply(ann, status_id, "and more")
    page = client.get(f"/@ann/{status_id}").text
    assert (
        "<textarea" not in page
        and "act-reply" not in page
        and shown(client.get(f"/@ann/{status_id}"))[1] == made
    )
    assert "Continuing their own post" in articles(client, "/@ann")[made]
    assert client.post("/statuses", data={"text": "no", "reply": status_id}).location.startswith(
        "/login"
    )


def test_a_reply_that_is_refused_comes_back_as_it_was_written(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id, gone = write(ann, "hello"), write(ann, "gone")
    ann.post(f"/statuses/{gone}/delete")
    ann.post("/@ben/block")
    cases = (
        (str(gone), "yes", 404, "This post doesn’t exist or was deleted."),
        (str(status_id), "yes", 403, "You can’t reply to this post."),
        (str(status_id), "x" * 281, 422, "1 character too long"),
        ("9007199254740991", "yes", 404, "This post doesn’t exist or was deleted."),
        ('1"><b>', "yes", 422, "This post doesn’t exist or was deleted."),
        ("-1", "yes", 422, "This post doesn’t exist or was deleted."),
    )
    for to, text, code, sentence in cases:
        answer = ben.post("/statuses", data={"text": text, "reply": to})
        assert (answer.status_code, sentence in unescape(answer.text)) == (code, True), (to, text)
        assert f"{text}</textarea>" in answer.text and "Write a reply" in answer.text
        field = re.search(r'name="reply" type="hidden" value="([^"]*)"', answer.text)
        assert field and unescape(field[1]) == to
    assert shown(ben.get("/@ben/replies")) == []


def test_deleted_posts_leave_gaps_on_kept_pages_at_once(client: FlaskClient, member: Join) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    root = write(ann, "root")
    middle = reply(ben, root, "middle")
    last = reply(cid, middle, "last")
    pages = [f"/@ann/{root}", f"/@cid/{last}"]
    for path in pages:
        assert shown(client.get(path)) == [root, middle, last] and GAP not in client.get(path).text
    extra = reply(ann, last, "extra")
    assert (
        shown(client.get(pages[0]))
        == shown(client.get(f"/@ann/{extra}"))
        == [root, middle, last, extra]
    )
    ann.post(f"/statuses/{extra}/delete")
    ben.post(f"/statuses/{middle}/delete")
    for path in pages:
        assert shown(client.get(path)) == [root, last] and client.get(path).text.count(GAP) == 1
        assert shown(ann.get(path)) == [root, last] and ann.get(path).text.count(GAP) == 1
    cid.post(f"/statuses/{last}/delete")
    assert shown(client.get(pages[0])) == [root] and GAP not in client.get(pages[0]).text
    assert client.get(pages[1]).status_code == 404


def test_more_of_a_thread_is_a_page_away_in_both_directions(settings: Config, member: Join) -> None:
    app = make_app(replace(settings, page_size=3))
    ann, ben = member("ann"), member("ben")
    root = write(ann, "root")
    made = [reply(ben, root, f"reply {number}") for number in range(7)]
    client, found, path = app.test_client(), [], f"/@ann/{root}"
    for _ in range(3):
        page = client.get(path)
        found += shown(page)[1:]
        more = re.search(r'href="([^"]+)" rel="next"', page.text)
        path = unescape(more[1]) if more else ""
    assert found == made and not path
    assert client.get(f"/@ann/{root}?after=x").status_code == 422
    links = [made[0]]
    for number in range(24):
        links.append(reply((ann, ben)[number % 2], links[-1], f"{number}"))
    end = f"/@{('ann', 'ben')[(len(links)) % 2]}/{links[-1]}"
    page = client.get(end)
    assert shown(page) == links[-21:]
    earlier = re.search(r'href="([^"]+)"[^>]*>Show what came before', page.text)
    assert (
        earlier
        and shown(client.get(earlier[1]))[-1] >= links[-22]
        and root in shown(client.get(earlier[1]))
    )
    onward = re.search(
        r'href="([^"]+)"[^>]*>Show the replies to this',
        make_app(settings).test_client().get(f"/@ann/{root}").text,
    )
    assert onward and str(links[9]) in onward[1]
    app.extensions["linnet.db"].close()


def test_a_profile_has_posts_and_posts_with_replies(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    root = write(ann, "root")
    post = write(ben, "a post")
    answer = reply(ben, root, "an answer")
    own = reply(ben, post, "and more")
    for who in (client, ann, ben):
        assert shown(who.get("/@ben")) == [own, post]
        assert shown(who.get("/@ben/replies")) == [own, answer, post]
        assert "<b>3</b> posts" in who.get("/@ben").text
    assert client.get("/@BEN/replies?max_id=5").location == "/@ben/replies?max_id=5"
    assert shown(client.get("/public")) == [own, post, root] and answer not in shown(
        client.get("/")
    )
    assert (
        f"/{answer}" not in client.get("/@ben/feed.atom").text
        and f"/{own}" in client.get("/@ben/feed.atom").text
    )
    assert 'aria-current="page">Posts and replies' in client.get("/@ben/replies").text
    assert (
        "data-live" in client.get("/@ben").text
        and "data-live" not in client.get("/@ben/replies").text
    )
    ben.post(f"/statuses/{answer}/delete")
    assert (
        shown(client.get("/@ben/replies")) == [own, post]
        and "<b>2</b> posts" in client.get("/@ben").text
    )


def test_no_page_with_replies_asks_the_store_more_often(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    root = write(ann, "root")
    status_id = root
    for number in range(6):
        status_id = reply((ben, ann)[number % 2], status_id, f"{number}")
        reply(ben, root, f"aside {number}")
    db = app.extensions["linnet.db"]
    for path, most in (
        (f"/@ann/{root}", 4),
        (f"/@ann/{status_id}", 4),
        ("/@ben/replies", 5),
        ("/home", 2),
    ):
        for client in (ann, ben, app.test_client()):
            before = db.trips
            assert client.get(path).status_code in (200, 302, 303)
            assert db.trips - before <= most, path


@pytest.mark.parametrize(
    "path", ["/@ann/{0}?after={1}.2-", "/@ann/{0}?after=", "/@ann/{0}?after=1.2.3"]
)
def test_a_cursor_that_is_none_is_refused(client: FlaskClient, member: Join, path: str) -> None:
    ann = member("ann")
    root = write(ann, "root")
    answer = client.get(path.format(root, reply(ann, root, "x")))
    assert answer.status_code == 422 and "That page doesn’t exist." in answer.text
