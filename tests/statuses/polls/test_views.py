"""Polls on pages: asked in the composer, answered by a form that needs no script, shown to whom it is for."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.rendering.test_fragments import articles
from tests.system.test_pages import check_error, write
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls import voting

Join = Callable[[str], FlaskClient]
SONGS = {"text": "which song?", "option1": "Trill", "option2": "<b>Chirp</b>", "poll_minutes": "60"}


def ask(client: FlaskClient, **fields: str) -> int:
    """Asks a poll and gives its status's id."""
    answer = client.post("/statuses", data={**SONGS, **fields})
    assert answer.status_code == 303
    return int(re.findall(r'id="status-(\d+)"', client.get("/home").text)[0])


def poll(client: FlaskClient, path: str, status_id: int) -> list[str] | dict[str, str]:
    """What a reader sees of a poll: the names of its fields, or of each answer its share, with * where it is theirs."""
    article = articles(client, path)[status_id]
    if 'class="poll poll-results"' in article:
        assert "/vote" not in article
        found = re.findall(
            r'poll-result( poll-own)?">.*?<bdi>(.*?)</bdi>.*?<b>(\d+%)</b>', article, re.DOTALL
        )
        return {words: share + ("*" if own else "") for own, words, share in found}
    form = re.search(
        r'<form class="poll" method="post" action="/statuses/(\d+)/vote">(.*?)</form>',
        article,
        re.DOTALL,
    )
    assert form and form[1] == str(status_id) and 'name="csrf_token"' in form[2]
    return re.findall(r'<input type="(radio|checkbox)"', form[2])


def test_a_poll_is_asked_voted_in_and_counted_on_every_page_without_a_script(
    client: FlaskClient, member: Join
) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    ben.post("/@ann/follow")
    status_id = ask(ann)
    permalink = f"/@ann/{status_id}"
    pages = ("/home", "/public", "/@ann", permalink, f"/statuses?ids={status_id}")
    none = {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "0%"}
    for path in pages:
        assert poll(ben, path, status_id) == ["radio", "radio"]
        assert poll(ann, path, status_id) == none
    assert poll(client, permalink, status_id) == none
    for who in (ann, client):
        assert "1 hour left" in who.get(permalink).text and "0 voters" in who.get(permalink).text
    answer = ben.post(f"/statuses/{status_id}/vote", data={"option": "1", "next": "/public#x"})
    assert (answer.status_code, answer.location) == (303, f"/public#status-{status_id}")
    for path in pages:
        assert poll(ben, path, status_id) == {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "100%*"}
        assert poll(ann, path, status_id) == {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "100%"}
    assert poll(client, permalink, status_id) == {
        "Trill": "0%",
        "&lt;b&gt;Chirp&lt;/b&gt;": "100%",
    }  # though kept
    assert "1 voter " in client.get(permalink).text and "(your choice)" in ben.get(permalink).text
    cid.post(
        f"/statuses/{status_id}/vote", data={"option": "0", "next": "https://elsewhere.example/"}
    )
    assert poll(client, f"/statuses?ids={status_id}", status_id) == {
        "Trill": "50%",
        "&lt;b&gt;Chirp&lt;/b&gt;": "50%",
    }


def test_a_poll_that_has_ended_shows_what_was_counted_and_tells_who_voted(
    app: Flask, member: Join
) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    db: Db = app.extensions["linnet.db"]
    status_id = ask(ann)
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    db.run(("HSET", status_keys.status(status_id), "poll", '[["Trill","Chirp"],0,0]'))
    db.run(("ZADD", poll_keys.poll_deadlines(partition_of(status_id)), 1, status_id))
    voting.close_due(db, app.extensions["linnet.config"], range(PARTITIONS))
    ann.post("/statuses", data={"text": "so that it is applied"})
    assert poll(cid, "/public", status_id) == {"Trill": "100%", "Chirp": "0%"}
    assert "Ended" in articles(cid, "/public")[status_id]
    check_error(
        cid.post(f"/statuses/{status_id}/vote", data={"option": "0"}), 409, "This poll has ended."
    )
    for who in (ann, ben):
        page = re.sub("<[^>]+>", "", who.get("/notifications").text)
        assert "A poll by Ann has ended" in page and "which song?" in page
    assert "has ended" not in cid.get("/notifications").text
    assert "A poll by" not in ann.get("/notifications/likes").text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"option2": " "}, "A poll needs at least two answers. Leave them all empty for no poll."),
        ({"option2": " Trill "}, "Two of the answers are the same. Make each one different."),
        ({"option3": "a" * 51}, "That’s 51 characters; the limit is 50."),
        ({"poll_minutes": "7"}, "Not a valid choice."),
        ({"text": ""}, "Write something first."),
    ],
)
def test_a_poll_that_cannot_be_comes_back_as_it_was_with_the_reason(
    member: Join, fields: dict[str, str], sentence: str
) -> None:
    ann = member("ann")
    for path in ("/statuses", "/drafts/schedule"):
        later = {"at": "2027-01-01T10:00"} if path != "/statuses" else {}
        answer = ann.post(path, data={**SONGS, **fields, **later})
        assert answer.status_code == 422 and sentence in answer.text
        assert 'value="Trill"' in answer.text and re.search(
            '<details class="place ask" open>', answer.text
        )
    assert 'id="status-' not in ann.get("/home").text


def test_drafts_keep_a_poll(member: Join) -> None:
    ann = member("ann")
    ann.post(
        "/drafts",
        data={**SONGS, "poll_multiple": "y", "poll_minutes": "10080", "key": "form-key-one"},
    )
    page = ann.get("/drafts/form-key-one").text
    assert 'value="Trill"' in page and 'value="&lt;b&gt;Chirp&lt;/b&gt;"' in page
    assert re.search('<input checked[^>]*name="poll_multiple"', page)
    assert '<option selected value="10080">7 days</option>' in page
    assert (
        ann.post(
            "/statuses", data={**SONGS, "poll_multiple": "y", "key": "form-key-one"}
        ).status_code
        == 303
    )
    assert ann.get("/drafts/form-key-one").status_code == 404


def test_a_vote_that_cannot_be_says_why(client: FlaskClient, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id, plain = ask(ann), write(ann, "no poll")
    for bad in (
        {},
        {"option": "2"},
        {"option": ["0", "1"]},
        {"option": "x" * 9_000},
        {"option": "-1"},
    ):
        check_error(
            ben.post(f"/statuses/{status_id}/vote", data=bad),
            422,
            "Choose one of the answers first.",
        )
    check_error(ann.post(f"/statuses/{status_id}/vote", data={"option": "0"}), 403, "your own poll")
    check_error(
        ben.post(f"/statuses/{plain}/vote", data={"option": "0"}), 404, "This post has no poll."
    )
    check_error(ben.post("/statuses/x/vote", data={"option": "0"}), 404, "")
    assert (
        client.post(f"/statuses/{status_id}/vote", data={"option": "0"}).status_code == 303
    )  # to sign in
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    check_error(
        ben.post(f"/statuses/{status_id}/vote", data={"option": "1"}),
        409,
        "Votes can’t be changed.",
    )


def test_what_a_status_warns_of_stands_before_its_poll_too(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = ask(ann, cw="loud birds")
    for who in (ann, ben, client):
        article = articles(who, f"/@ann/{status_id}")[status_id]
        assert article.index('<details class="status-cw"><summary>Poll</summary>') < article.index(
            "Trill"
        )
        assert article.count("<details") == article.count("</details>")


def test_what_kept_pieces_hold_of_a_poll_is_nobodys_own(member: Join) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    status_id = ask(ann)
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    tokens = [
        re.findall('name="csrf_token" value="([^"]+)"', who.get("/public").text)
        for who in (ben, cid)
    ]
    assert poll(ben, "/public", status_id) == {"Trill": "100%*", "&lt;b&gt;Chirp&lt;/b&gt;": "0%"}
    assert poll(cid, "/public", status_id) == ["radio", "radio"]
    assert not set(tokens[0]) & set(tokens[1])
