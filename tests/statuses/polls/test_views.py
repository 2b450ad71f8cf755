"""Polls on pages: the composer, voting without scripts, results, and drafts."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.page_parts import articles
from tests.support.pages import check_error, post_status
from tests.support.world import Web
from webapp.core.store import PARTITIONS, partition_of
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys, voting

HIDDEN_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
SONGS = {"text": "which song?", "option1": "Trill", "option2": "<b>Chirp</b>", "poll_minutes": "60"}


def post_poll(client: FlaskClient, **fields: str) -> int:
    """Post a poll and return the id of its status."""
    response = client.post("/statuses", data={**SONGS, **fields})
    assert response.status_code == 303
    return int(re.findall(r'id="status-(\d+)"', client.get("/home").text)[0])


def poll_state(client: FlaskClient, path: str, status_id: int) -> list[str] | dict[str, str]:
    """Return the types of a poll's inputs, or the share of each option, own votes with a *."""
    article = articles(client, path)[status_id]
    if 'class="poll poll-results"' in article:
        assert "/vote" not in article
        found = re.findall(
            r'poll-result( poll-own)?">.*?<bdi>(.*?)</bdi>.*?<b>(\d+%)</b>', article, re.DOTALL
        )
        return {words: share + ("*" if own else "") for own, words, share in found}
    form = re.search(
        r'<form[^>]*class="poll"[^>]*action="/statuses/(\d+)/vote"[^>]*>(.*?)</form>',
        article,
        re.DOTALL,
    )
    assert form and form[1] == str(status_id) and 'name="csrf_token"' in form[2]
    return re.findall(r'<input type="(radio|checkbox)"', form[2])


def test_members_vote_without_scripts_and_every_page_shows_the_results(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    ben.post("/@ann/follow")
    status_id = post_poll(ann)
    permalink = f"/@ann/{status_id}"
    pages = ("/home", "/public", "/@ann", permalink, f"/statuses?ids={status_id}")
    no_votes = {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "0%"}
    for path in pages:
        assert poll_state(ben, path, status_id) == ["radio", "radio"]
        assert poll_state(ann, path, status_id) == no_votes
    assert poll_state(web.client, permalink, status_id) == no_votes
    for viewer in (ann, web.client):
        assert "1 hour left" in viewer.get(permalink).text
        assert "0 voters" in viewer.get(permalink).text
    response = ben.post(f"/statuses/{status_id}/vote", data={"option": "1", "next": "/public#x"})
    assert (response.status_code, response.location) == (303, f"/public#status-{status_id}")
    for path in pages:
        found = poll_state(ben, path, status_id)
        assert found == {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "100%*"}
        found = poll_state(ann, path, status_id)
        assert found == {"Trill": "0%", "&lt;b&gt;Chirp&lt;/b&gt;": "100%"}
    assert poll_state(web.client, permalink, status_id) == {
        "Trill": "0%",
        "&lt;b&gt;Chirp&lt;/b&gt;": "100%",
    }  # not outdated by the page cache
    assert "1 voter " in web.client.get(permalink).text
    assert "(your choice)" in ben.get(permalink).text
    form = {"option": "0", "next": "https://elsewhere.example/"}
    cid.post(f"/statuses/{status_id}/vote", data=form)
    found = poll_state(web.client, f"/statuses?ids={status_id}", status_id)
    assert found == {"Trill": "50%", "&lt;b&gt;Chirp&lt;/b&gt;": "50%"}


def test_an_ended_poll_shows_results_and_notifies_voters(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    status_id = post_poll(ann)
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    web.db.run(("HSET", status_keys.status(status_id), "poll", '[["Trill","Chirp"],0,0]'))
    web.db.run(("ZADD", poll_keys.poll_deadlines(partition_of(status_id)), 1, status_id))
    voting.close_due(web, range(PARTITIONS))
    ann.post("/statuses", data={"text": "projections run"})
    assert poll_state(cid, "/public", status_id) == {"Trill": "100%", "Chirp": "0%"}
    assert "Ended" in articles(cid, "/public")[status_id]
    answer = cid.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    check_error(answer, 409, "This poll has ended.")
    for viewer in (ann, ben):
        page = re.sub("<[^>]+>", "", viewer.get("/notifications").text)
        assert "A poll by Ann has ended" in page and "which song?" in page
    assert "has ended" not in cid.get("/notifications").text
    assert "A poll by" not in ann.get("/notifications/likes").text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"option2": " "}, "A poll needs at least two answers. Leave them all empty for no poll."),
        ({"option2": " Trill "}, "This is the same as another answer."),
        ({"option3": "a" * 51}, "That’s 51 characters. The limit is 50."),
        ({"poll_minutes": "4"}, "Not a valid choice."),
        ({"text": ""}, "Write something first."),
    ],
)
def test_an_invalid_poll_comes_back_with_the_reason(
    ann: FlaskClient, fields: dict[str, str], sentence: str
) -> None:
    for later in ({}, {"at": "2027-01-01T10:00"}):
        response = ann.post("/statuses", data={**SONGS, **fields, **later})
        assert response.status_code == 422 and sentence in response.text
        assert 'value="Trill"' in response.text
        [focused] = re.findall(r"<[^>]* autofocus[^>]*>", response.text)
        assert 'aria-invalid="true"' in focused
        assert re.search('<details class="composer-part ask"[^>]* open>', response.text)
    assert 'id="status-' not in ann.get("/home").text


def test_drafts_keep_a_poll(ann: FlaskClient) -> None:
    form = {**SONGS, "poll_multiple": "y", "poll_minutes": "10080", "key": "form-key-one"}
    ann.post("/drafts", data=form)
    page = ann.get("/drafts/form-key-one").text
    assert 'value="Trill"' in page and 'value="&lt;b&gt;Chirp&lt;/b&gt;"' in page
    assert re.search('<input checked[^>]*name="poll_multiple"', page)
    assert '<option selected value="10080">7 days</option>' in page
    answer = ann.post("/statuses", data={**SONGS, "poll_multiple": "y", "key": "form-key-one"})
    assert answer.status_code == 303
    assert ann.get("/drafts/form-key-one").status_code == 404


def test_a_refused_vote_explains_why(ann: FlaskClient, ben: FlaskClient) -> None:
    status_id, plain = post_poll(ann), post_status(ann, "no poll")
    for form in (
        {},
        {"option": "2"},
        {"option": ["0", "1"]},
        {"option": "x" * 9_000},
        {"option": "-1"},
    ):
        answer = ben.post(f"/statuses/{status_id}/vote", data=form)
        check_error(answer, 422, "Choose one of the answers first.")
    check_error(ann.post(f"/statuses/{status_id}/vote", data={"option": "0"}), 403, "your own poll")
    answer = ben.post(f"/statuses/{plain}/vote", data={"option": "0"})
    check_error(answer, 404, "This post has no poll.")
    check_error(ben.post("/statuses/x/vote", data={"option": "0"}), 404, "")
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    answer = ben.post(f"/statuses/{status_id}/vote", data={"option": "1"})
    check_error(answer, 409, "Votes can’t be changed.")


def test_a_warning_hides_the_poll(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    status_id = post_poll(ann, cw="loud birds")
    for viewer in (ann, ben, web.client):
        article = articles(viewer, f"/@ann/{status_id}")[status_id]
        found = article.index('<details class="status-cw"><summary>Poll</summary>')
        assert found < article.index("Trill")
        assert article.count("<details") == article.count("</details>")


def test_cached_fragments_hold_no_member_specific_parts_of_a_poll(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    status_id = post_poll(ann)
    ben.post(f"/statuses/{status_id}/vote", data={"option": "0"})
    tokens = [
        re.findall('name="csrf_token" value="([^"]+)"', viewer.get("/public").text)
        for viewer in (ben, cid)
    ]
    found = poll_state(ben, "/public", status_id)
    assert found == {"Trill": "100%*", "&lt;b&gt;Chirp&lt;/b&gt;": "0%"}
    assert poll_state(cid, "/public", status_id) == ["radio", "radio"]
    assert not set(tokens[0]) & set(tokens[1])


@pytest.mark.parametrize("path", ["/@ann/{0}", "/public?max_id={1}", "/@ann?max_id={1}"])
def test_a_vote_leads_back_to_the_page_where_it_was_given(web: Web, path: str) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_poll(ann)
    path = path.format(status_id, status_id + 1)
    fields = HIDDEN_FIELD.findall(articles(ben, path)[status_id])
    response = ben.post(f"/statuses/{status_id}/vote", data={**dict(fields), "option": "0"})
    assert (response.status_code, response.location) == (303, f"{path}#status-{status_id}")
