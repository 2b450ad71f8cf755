"""Replies on pages: the composer, threads, profile tabs, and cached pages."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.page_parts import articles
from tests.support.pages import post_status, status_ids
from tests.support.world import Web

TOMBSTONE = ">This post was deleted.<"


def reply(client: FlaskClient, parent: int, text: str) -> int:
    """Post a reply and return its id."""
    response = client.post("/statuses", data={"text": text, "reply": str(parent)})
    assert response.status_code == 303, response.text
    return int(response.location.rpartition("-")[2])


def composer(client: FlaskClient, path: str) -> tuple[str, str]:
    """Return the text in the composer of a page, and the id it replies to."""
    page = client.get(path).text
    text = re.search(r'<textarea[^>]*name="text"[^>]*>\s*(.*?)</textarea>', page, re.DOTALL)
    parent = re.search(r'name="reply"[^>]*value="(\d+)"', page)
    assert text, page
    return unescape(text[1]).replace("\r\n", "\n"), parent[1] if parent else ""


def test_a_member_replies_on_the_page_of_a_post(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    link = re.search(
        r'<a class="action action-reply" href="([^"]+)"', articles(ben, "/public")[status_id]
    )
    assert link and link[1] == f"/@ann/{status_id}#text"
    page = ben.get(link[1]).text
    assert '<a class="action action-reply" href="#text"' in page
    assert ">Reply</button>" in page
    assert composer(ben, f"/@ann/{status_id}") == ("", str(status_id))
    response = ben.post("/statuses", data={"text": "hello yourself", "reply": status_id})
    reply_id = int(response.location.rpartition("-")[2])
    assert response.location == f"/@ben/{reply_id}#status-{reply_id}"
    assert status_ids(ben.get(response.location)) == [status_id, reply_id]
    assert status_ids(web.client.get(f"/@ann/{status_id}")) == [status_id, reply_id]
    words = re.sub(r"<[^>]+>", "", articles(web.client, f"/@ben/{reply_id}")[reply_id])
    assert "Replying to @ann" in words
    found = f'<a href="/@ann/{status_id}">@ann</a>'
    assert found in articles(web.client, f"/@ben/{reply_id}")[reply_id]
    button_count = re.search(
        r'action-reply".*?</svg> <b>(\d+)</b></a>', articles(ben, "/public")[status_id]
    )
    assert button_count and button_count[1] == "1"
    reply_count = re.search(
        r'action-reply".*?</svg> <b>(\d+)</b></a>', articles(web.client, "/@ann")[status_id]
    )
    assert reply_count and reply_count[1] == "1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@ann hello", "hello"),
        ("@ANN  hello @ann", "hello @ann"),
        ("@ann @cid hello", "@cid hello"),
        ("@ann #larks", "#larks"),
        ("hello @ann", "hello @ann"),
        ("@anna hello", "@anna hello"),
        ("@ann", "@ann"),
    ],
)
def test_a_reply_names_the_author_it_answers_once(web: Web, text: str, shown: str) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    response = ben.post("/statuses", data={"text": text, "reply": status_id})
    reply_id = int(response.location.rpartition("-")[2])
    article = articles(ben, f"/@ben/{reply_id}")[reply_id]
    body = re.search(r'<p class="status-body" [^>]*>(.*?)</p>', article)
    assert body and re.sub("<[^>]+>", "", body[1]) == shown
    assert "Replying to" in article


def test_the_reply_form_starts_with_mentions(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("Ben"), web.member("cid")
    status_id = post_status(ann, "with @ben, @CID, @nobody and @Ann @ben")
    assert composer(cid, f"/@ann/{status_id}")[0] == "@ben "
    assert composer(ben, f"/@ann/{status_id}")[0] == "@CID "
    assert composer(ann, f"/@ann/{status_id}")[0] == "@ben @CID "
    assert composer(ann, "/home") == ("", "")
    for number in range(11):
        web.member(f"b{number}")
    status_with_many_mentions = post_status(ann, " ".join(f"@b{number}" for number in range(40)))
    assert len(composer(ben, f"/@ann/{status_with_many_mentions}")[0].split()) == 10


def test_a_visitor_reads_the_thread_without_a_form(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, "hello")
    reply_id = reply(ann, status_id, "and more")
    page = web.client.get(f"/@ann/{status_id}").text
    assert "<textarea" not in page
    assert "#text" not in page
    assert status_ids(web.client.get(f"/@ann/{status_id}"))[1] == reply_id
    assert "Continues their own thread" in articles(web.client, "/@ann")[reply_id]


def test_a_refused_reply_comes_back_with_its_text(ann: FlaskClient, ben: FlaskClient) -> None:
    status_id, gone = post_status(ann, "hello"), post_status(ann, "gone")
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
    for parent, text, code, sentence in cases:
        response = ben.post("/statuses", data={"text": text, "reply": parent})
        found = (response.status_code, sentence in unescape(response.text))
        assert found == (code, True), (parent, text)
        assert f"{text}</textarea>" in response.text
        assert "Write a reply" in response.text
        field = re.search(r'name="reply" type="hidden" value="([^"]*)"', response.text)
        assert field and unescape(field[1]) == parent
    assert status_ids(ben.get("/@ben/replies")) == []


def test_deletions_leave_tombstones_on_cached_pages(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    root = post_status(ann, "root")
    middle = reply(ben, root, "middle")
    last = reply(cid, middle, "last")
    pages = [f"/@ann/{root}", f"/@cid/{last}"]
    for path in pages:
        assert status_ids(web.client.get(path)) == [root, middle, last]
        assert TOMBSTONE not in web.client.get(path).text
    extra = reply(ann, last, "extra")
    assert (
        status_ids(web.client.get(pages[0]))
        == status_ids(web.client.get(f"/@ann/{extra}"))
        == [root, middle, last, extra]
    )
    ann.post(f"/statuses/{extra}/delete")
    ben.post(f"/statuses/{middle}/delete")
    for path in pages:
        assert status_ids(web.client.get(path)) == [root, last]
        assert web.client.get(path).text.count(TOMBSTONE) == 1
        assert status_ids(ann.get(path)) == [root, last]
        assert ann.get(path).text.count(TOMBSTONE) == 1
    cid.post(f"/statuses/{last}/delete")
    assert status_ids(web.client.get(pages[0])) == [root]
    assert TOMBSTONE not in web.client.get(pages[0]).text
    assert web.client.get(pages[1]).status_code == 404


@pytest.mark.slow
def test_long_threads_link_to_pages_in_both_directions(web: Web) -> None:
    app = make_app(replace(web.config, page_size=3))
    ann, ben = web.member("ann"), web.member("ben")
    root = post_status(ann, "root")
    reply_ids = [reply(ben, root, f"reply {number}") for number in range(7)]
    client = app.test_client()
    listed_ids: list[int] = []
    path = f"/@ann/{root}"
    for _ in range(3):
        page = client.get(path)
        listed_ids += status_ids(page)[1:]
        link = re.search(r'href="([^"]+)" rel="next"', page.text)
        path = unescape(link[1]) if link else ""
    assert listed_ids == reply_ids
    assert not path
    assert client.get(f"/@ann/{root}?after=x").status_code == 422
    links = [reply_ids[0]]
    for number in range(24):
        links.append(reply((ann, ben)[number % 2], links[-1], f"{number}"))
    end = f"/@{('ann', 'ben')[(len(links)) % 2]}/{links[-1]}"
    page = client.get(end)
    assert status_ids(page) == links[-21:]
    earlier = re.search(r'href="([^"]+)"[^>]*>Show earlier posts', page.text)
    assert earlier
    assert status_ids(client.get(earlier[1]))[-1] >= links[-22]
    assert root in status_ids(client.get(earlier[1]))
    onward = re.search(
        r'href="([^"]+)"[^>]*>Show replies',
        make_app(web.config).test_client().get(f"/@ann/{root}").text,
    )
    assert onward and str(links[9]) in onward[1]
    app.extensions["linnet.db"].close()


def test_a_profile_has_tabs_without_and_with_replies(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    root = post_status(ann, "root")
    post = post_status(ben, "a post")
    reply_to_ann = reply(ben, root, "an answer")
    self_reply = reply(ben, post, "and more")
    for viewer in (web.client, ann, ben):
        assert status_ids(viewer.get("/@ben")) == [self_reply, post]
        assert status_ids(viewer.get("/@ben/replies")) == [self_reply, reply_to_ann, post]
        assert "<b>3</b> posts" in viewer.get("/@ben").text
    assert web.client.get("/@BEN/replies?max_id=5").location == "/@ben/replies?max_id=5"
    assert status_ids(web.client.get("/public")) == [self_reply, post, root]
    assert reply_to_ann not in status_ids(web.client.get("/"))
    assert f"/{reply_to_ann}" not in web.client.get("/@ben/feed.atom").text
    assert f"/{self_reply}" in web.client.get("/@ben/feed.atom").text
    assert 'aria-current="page">Replies' in web.client.get("/@ben/replies").text
    assert "data-live" in web.client.get("/@ben").text
    assert "data-live" not in web.client.get("/@ben/replies").text
    ben.post(f"/statuses/{reply_to_ann}/delete")
    assert status_ids(web.client.get("/@ben/replies")) == [self_reply, post]
    assert "<b>2</b> posts" in web.client.get("/@ben").text


def test_replies_cost_pages_no_trips(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    ann.post("/@ben/follow")  # a home without follows shows what is popular
    ben.post("/@ann/follow")
    root = post_status(ann, "root")
    status_id = root
    for reply_count in range(6):
        status_id = reply((ben, ann)[reply_count % 2], status_id, f"{reply_count}")
        reply(ben, root, f"aside {reply_count}")
    for path, limit in (
        (f"/@ann/{root}", 4),
        (f"/@ann/{status_id}", 4),
        ("/@ben/replies", 5),
        ("/home", 2),
    ):
        for client in (ann, ben, web.app.test_client()):
            before = web.db.trips
            assert client.get(path).status_code in (200, 302, 303)
            assert web.db.trips - before <= limit, path


@pytest.mark.parametrize(
    "path", ["/@ann/{0}?after={1}.2-", "/@ann/{0}?after=", "/@ann/{0}?after=1.2.3"]
)
def test_an_invalid_cursor_is_refused(ann: FlaskClient, web: Web, path: str) -> None:
    root = post_status(ann, "root")
    response = web.client.get(path.format(root, reply(ann, root, "x")))
    assert response.status_code == 422
    assert "That page doesn’t exist." in response.text
