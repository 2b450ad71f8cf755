"""Promoted posts on pages: who sees them, where, and what counts."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.support.rewards import linnet
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.renaming import store as renaming
from webapp.rewards.promotions import index as indexes, reports, showings, store
from webapp.rewards.promotions.ranking import ALL, Ranking

FORM = {
    "language": "",
    "words": "coffee #tea",
    "kind": "clicks",
    "price": "5",
    "budget": "50",
    "days": "7",
}
FILTER = {"words": "beans", "public": "y", "expires_in": "always", "filter_action": "warn"}
LINE = re.compile(r'class="boosted promoted"[^>]* data-showing="([^"]*)"')
POST = re.compile(r'id="status-(\d+)"')


@pytest.fixture(autouse=True)
def always_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each page see what changed, and be chosen without chance."""
    monkeypatch.setattr(indexes, "REFRESH_SECONDS", 0.0)
    monkeypatch.setattr("webapp.rewards.promotions.ranking.TRIED", 0.0)
    showings._refused.clear()


def publish(client: FlaskClient, *texts: str) -> None:
    for text in texts:
        assert client.post("/statuses", data={"text": text}).status_code == 303


@pytest.fixture
def ann(web: Web) -> FlaskClient:
    """She has promoted a post, which runs."""
    client = web.member("ann")
    linnet(web.config, "points", "give", "ann", "100", "x")
    publish(client, "Buy fresh beans")
    sent = client.post(f"/promote/{own_post(client)}", data=FORM)
    assert sent.status_code == 303, sent.text
    assert "is running" in linnet(web.config, "promotions", "accept", str(own_post(client)))
    return client


@pytest.fixture
def ben(ann: FlaskClient, web: Web) -> FlaskClient:
    """He has a home of six posts, all of them about tea."""
    client, _ = web.member("ben"), web.member("gil")
    client.post("/@gil/follow")
    publish(client, *(f"Cup {number} of coffee #tea" for number in range(6)))
    client.get("/home")  # from which the process learns what it can show next
    return client


def own_post(client: FlaskClient) -> int:
    found = POST.search(client.get("/@ann").text)
    assert found
    return int(found[1])


def showing_on(client: FlaskClient, path: str) -> str:
    """Return what a page would report of its promoted post, "" if it has none."""
    lines = LINE.findall(client.get(path).text)
    assert len(lines) <= 1
    return unescape(lines[0]) if lines else ""


def test_a_member_sees_one_on_home_search_and_hashtag_pages_and_why(ben: FlaskClient) -> None:
    page = ben.get("/home").text
    assert "Promoted by" in page and "Buy fresh beans" in page and "Why this?" in page
    assert "Nothing about you was used to choose it." in page
    order = POST.findall(page)
    assert len(order) == 7 and order[4] < order[0], "below the first four"
    for path, word in (
        ("/search?q=coffee", "coffee"),
        ("/tags/tea", "#tea"),
        ("/tags/tea/hot", "#tea"),
    ):
        page = ben.get(path).text
        assert "Promoted by" in page, path
        assert f"This page is about <bdi>{word}</bdi>, and so is this post." in page, path
    assert showing_on(ben, "/home") == showing_on(ben, "/home"), "a reload shows the same"


def test_a_home_shows_the_same_while_its_promotion_learns(web: Web, ben: FlaskClient) -> None:
    shown = showing_on(ben, "/home")
    index = indexes.index_of(web.db)
    [ad] = index.ranking.ads.values()
    learned = replace(ad, counts={**ad.counts, ALL: (9_000, 900)})
    index.ranking = Ranking([learned])
    assert showing_on(ben, "/home?learned") == shown
    index.ranking = Ranking([replace(learned, price=ad.price + 1)])
    assert showing_on(ben, "/home?dearer") not in (shown, "")
    index.ranking = Ranking()
    assert showing_on(ben, "/home?over") == ""


def test_it_is_shown_nowhere_else_and_to_no_visitor(
    ben: FlaskClient, web: Web, ann: FlaskClient
) -> None:
    elsewhere = (
        "/public /@ben /@ann /notifications /bookmarks /explore /home/popular "
        "/search?q=coffee&tab=people /search?q=coffee&tab=own /chats"
    ).split()
    for path in elsewhere:
        assert not showing_on(ben, path), path
    for path in ("/tags/tea", "/search?q=coffee", "/"):
        assert not showing_on(web.client, path), path
    publish(ann, *(f"Mine {number} #tea" for number in range(6)))
    assert not showing_on(ann, "/home") and not showing_on(ann, "/tags/tea"), "one's own"


def test_whoever_hides_blocks_mutes_or_switches_them_off_sees_none(
    ben: FlaskClient, web: Web, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = {name: web.member(name) for name in ("cid", "dot", "eve", "fay")}
    for client in readers.values():
        assert showing_on(client, "/tags/tea")
    readers["cid"].post("/@ann/block")
    readers["dot"].post("/@ann/mute")
    ann.post("/@eve/block")
    readers["fay"].post("/settings/promoted", data={"none": "y"})
    ben.post(f"/promote/{own_post(ann)}/hide")
    for client in (ben, *readers.values()):
        showings._refused.clear()
        assert not showing_on(client, "/tags/tea")
        assert not showing_on(client, "/tags/tea"), "the process remembers it"
    assert "checked" in readers["fay"].get("/settings/promoted").text
    readers["fay"].post("/settings/promoted", data={})
    readers["dot"].post("/@ann/unmute")
    window = reports.present_window()
    monkeypatch.setattr(reports, "present_window", lambda: window + 12)
    for name in ("fay", "dot"):
        assert showing_on(readers[name], "/tags/tea"), "an hour later"


def test_a_post_that_is_no_longer_public_or_is_filtered_is_not_shown(
    ben: FlaskClient, ann: FlaskClient, web: Web
) -> None:
    cid = web.member("cid")
    made = cid.post("/settings/filters", data=FILTER)
    assert made.status_code == 303
    assert not showing_on(cid, "/tags/tea")
    ann.post("/settings/privacy", data={"protected": "y", "quote_policy": "everyone"})
    assert not showing_on(ben, "/tags/tea")


def test_a_view_a_click_and_a_like_count_once_and_only_for_whom_it_was_shown(
    web: Web, ben: FlaskClient, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, cid = own_post(ann), web.member("cid")

    def report(client: FlaskClient, showing: str) -> None:
        data = {"ids": str(id_), "showings": showing}
        assert client.post("/statuses/views", data=data).status_code == 204

    def totals() -> tuple[int, int, int]:
        web.app.extensions["linnet.views"].flush()
        found = web.db.read(store.find(id_))
        assert found
        return found.total.views, found.total.clicks, found.total.actions

    showing = showing_on(ben, "/tags/tea")
    ben.get(f"/@ann/{id_}")
    assert totals() == (0, 0, 0), "nobody saw it"
    for forged in ("x", showing[1:], showing.replace("#tea", "tea"), "é 1 2", f"{showing} more"):
        report(ben, forged)
    report(cid, showing)
    with monkeypatch.context() as later:
        later.setattr(reports, "present_window", lambda: 10**9)
        report(ben, showing)
    assert totals() == (0, 0, 0)
    for _ in range(3):
        report(ben, f"{showing},{showing}")
        assert totals()[0] == 1
    for _ in range(2):
        ben.get(f"/@ann/{id_}")
        ben.post(f"/statuses/{id_}/like")
        ben.post("/@ann/follow")
    assert totals() == (1, 1, 1)
    page = ann.get(f"/promote/{id_}").text
    assert "By day" in page and "<bdi>#tea</bdi>" in page
    spent = re.search(r"<p>(0\.\d) of 50 points spent</p>", page)
    assert spent and f"<td>{spent[1]}</td>" in page, "the same in both places"


def test_a_follow_counts_under_the_present_username_of_who_promotes(
    web: Web, ben: FlaskClient, ann: FlaskClient
) -> None:
    id_ = own_post(ann)
    web.do(renaming.rename, 1, "Anna")
    data = {"ids": str(id_), "showings": showing_on(ben, "/tags/tea")}
    ben.post("/statuses/views", data=data)
    web.app.extensions["linnet.views"].flush()
    ben.post("/@anna/follow")
    web.app.extensions["linnet.views"].flush()
    found = web.db.read(store.find(id_))
    assert found and found.total.actions == 1


def test_the_form_says_what_is_wrong_and_keeps_what_was_written(web: Web) -> None:
    dot = web.member("ann")
    publish(dot, "Fresh beans")
    path = f"/promote/{own_post(dot)}"
    for wrong in (
        {"words": "the"},
        {"words": "co.fe!"},
        {"words": " ".join(f"word{number}" for number in range(11))},
        {"kind": "money"},
        {"price": "101"},
        {"price": "0"},
        {"price": "five"},
        {"budget": "9"},
        {"budget": "1e9"},
        {"days": "31"},
        {"language": "xx"},
    ):
        page = dot.post(path, data={**FORM, **wrong})
        assert page.status_code == 422, wrong
        assert ("field-error" in page.text and 'value="7"' in page.text) or "days" in wrong, wrong
    poor = dot.post(path, data=FORM)
    assert poor.status_code == 409 and "have enough points" in poor.text
    assert 'value="coffee #tea"' in poor.text
    linnet(web.config, "points", "give", "ann", "60", "x")
    assert dot.post(path, data={**FORM, "words": "COFFEE，#Tea, 咖啡"}).status_code == 303
    assert "Waiting for review" in dot.get(path).text and "Fresh beans" in dot.get("/promote").text
    assert dot.post(path, data=FORM).status_code == 409
    assert dot.post(f"{path}/pause").status_code == 409
    assert "coffee #tea 咖啡" in linnet(web.config, "promotions", "list")
    assert dot.post(f"{path}/end").status_code == 303
    assert "You have 60 points." in dot.get("/promote").text
    assert "no promotions" in linnet(web.config, "promotions", "list")
    assert "isn’t promoted" in linnet(web.config, "promotions", "end", "64")


def test_moderators_review_what_others_promote_and_the_member_is_told(web: Web) -> None:
    ann, jay, desk = web.member("ann"), web.member("jay"), "/moderation/promotions"
    assert ann.get(desk).status_code == 403
    for uid, right in ((1, "admin"), (2, "moderator")):
        lifecycle.grant(web.db, uid, right)
    linnet(web.config, "points", "give", "ann", "100", "x")
    publish(ann, "Buy fresh beans")
    id_ = own_post(ann)
    path, answer = f"/promote/{id_}", f"{desk}/{id_}"
    for accepted in (False, True):
        ann.post(path, data=FORM)
        web.apply_events()
        assert "Another moderator has to review" in ann.get(desk).text
        assert ann.post(answer, data={"accept": "1", "version": "0"}).status_code == 403
        shown = jay.get(desk).text
        assert "Buy fresh beans" in shown and " formnovalidate" in shown
        assert '<b class="count">1</b>' in jay.get("/moderation/appeals").text
        assert jay.post(answer, data={"accept": "1", "version": "7"}).status_code == 409
        unsaid = jay.post(answer, data={"version": "0", "why": " "})
        assert unsaid.status_code == 422 and "Write a reason." in unsaid.text
        deep = jay.post(f"{answer}?max_id={id_}", data={"version": "0"})
        assert deep.status_code == 422 and f'href="{desk}"' in deep.text, "the same page again"
        form = {"accept": "1"} if accepted else {"why": "No sales here."}
        assert jay.post(answer, data={"version": "0", **form}).location == desk
        web.apply_events()
        assert "No promoted post waits" in jay.get(desk).text
        told = "It was accepted" if accepted else "It wasn’t accepted"
        assert told in ann.get("/notifications").text
        shown = ann.get(path).text
        assert ("No sales here." in shown) != accepted and ("Refused by" in shown) != accepted
        assert f"You have {50 if accepted else 100} points." in ann.get("/promote").text
        assert jay.post(answer, data={"accept": "1", "version": "0"}).status_code == 409
    log = jay.get("/moderation/log").text
    assert "accepted a promoted post by" in log and "No sales here." in log
    linnet(web.config, "promotions", "end", str(id_), "It broke the rules.")
    assert "It broke the rules." in ann.get(path).text


def test_nobody_elses_promotion_can_be_seen_or_changed(ben: FlaskClient, ann: FlaskClient) -> None:
    path = f"/promote/{own_post(ann)}"
    assert ben.get(path).status_code == ben.post(path, data=FORM).status_code == 404
    assert ben.post(f"{path}/end").status_code == 404
    assert "Promote" in ann.get(f"/@ann/{own_post(ann)}/menu").text
    group = {"name": "Birders", "slug": "birders", "about": "", "kind": "open", "rules": ""}
    assert ann.post("/groups/new", data=group).status_code == 303
    assert ann.post("/statuses", data={"text": "For the group", "group": "1"}).status_code == 303
    assert "Promote" not in ann.get(f"/@ann/{own_post(ann)}/menu").text


def test_a_page_with_one_takes_no_trip_more(web: Web, ben: FlaskClient, ann: FlaskClient) -> None:

    def trips(path: str) -> int:
        ben.get(path)
        before = web.db.trips
        ben.get(path, headers={"X-Load": str(before)})  # its view runs
        return int(web.db.trips - before)

    paths = ("/home", "/tags/tea", "/search?q=coffee")
    with_one = [trips(path) for path in paths]
    assert all(showing_on(ben, path) for path in paths)
    store.hide(web, 2, own_post(ann))
    assert not any(showing_on(ben, path) for path in paths)
    assert [trips(path) for path in paths] == with_one


def test_without_a_running_promotion_a_page_sends_nothing_more(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "REFRESH_SECONDS", 60.0)
    dot = web.member("dot")
    dot.get("/home")
    with web.app.test_request_context("/home"):
        assert showings.offer(5, ()).commands == ()


@pytest.mark.parametrize("is_recorded_before", [True, False])
def test_a_home_that_is_opened_again_and_again_shows_a_new_one(
    web: Web, is_recorded_before: bool
) -> None:
    ann, ben, _ = (web.member(name) for name in ("ann", "ben", "gil"))
    linnet(web.config, "points", "give", "ann", "100", "x")
    publish(ann, "Buy fresh beans")
    ben.post("/@gil/follow")
    publish(ben, *(f"Cup {number} #tea" for number in range(6)))
    ben.get("/settings")
    for _ in range(3 if is_recorded_before else 1):
        assert showing_on(ben, "/home") == ""
    assert ann.post(f"/promote/{own_post(ann)}", data=FORM).status_code == 303
    assert "is running" in linnet(web.config, "promotions", "accept", str(own_post(ann)))
    web.apply_events()
    shown = [showing_on(ben, "/home") for _ in range(3)]
    assert all(shown[1:]), "the first load after it learns of it"


def test_a_home_that_is_opened_again_and_again_lets_one_end(web: Web, ben: FlaskClient) -> None:
    ben.get("/settings")
    assert showing_on(ben, "/home")
    [ad] = indexes.index_of(web.db).ranking.ads
    linnet(web.config, "promotions", "end", str(ad))
    web.apply_events()
    assert not any([showing_on(ben, "/home") for _ in range(3)][1:])
