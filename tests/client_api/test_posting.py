"""Posting and voting with what clients send, and what is refused as Mastodon refuses it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from flask import Flask

from tests.conftest import make_app
from tests.support.client_api import ApiClient, Clients, app_token, ids
from tests.support.full_site import picture_file
from tests.support.world import Web, World
from webapp.accounts import store as accounts
from webapp.accounts.settings import choices
from webapp.client_api.endpoints.posts import scheduled
from webapp.config import Config
from webapp.core.web import db, site
from webapp.statuses import Visibility
from webapp.statuses.compose.remembered_audience import Audience, remember
from webapp.statuses.drafts import store as drafts

ROUTE = "POST /api/v1/statuses"
KEY = {"Idempotency-Key": "one"}
POLL = {"poll[options][]": ["yes", "no"], "poll[expires_in]": "3600"}


def hours_away(hours: int) -> str:
    """Return a time as clients send it."""
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def test_empty_answers_of_a_poll_are_left_out(clients: Clients) -> None:
    sent = {**POLL, "poll[options][]": ["yes", "", " ", "no"], "poll[multiple]": "on"}
    made = clients[0].post("v1/statuses", status="?", **sent)["poll"]
    assert [one["title"] for one in made["options"]] == ["yes", "no"] and made["multiple"]


def test_empty_ids_of_pictures_are_none(clients: Clients) -> None:
    assert clients[0].post("v1/statuses", **{"status": "hm", "media_ids[]": ""})["content"]


def test_a_warning_alone_is_a_text(clients: Clients) -> None:
    made = clients[0].post("v1/statuses", status=" ", spoiler_text="so it is")
    assert (made["content"], made["spoiler_text"]) == ("<p>so it is</p>", "")


def test_a_time_that_is_over_means_now(clients: Clients) -> None:
    ann, _ = clients
    made = ann.post("v1/statuses", status="now", scheduled_at=hours_away(-1))
    assert ids(ann.get("v1/timelines/home")) == ids([made])
    assert ann.get("v1/scheduled_statuses") == []


def test_a_scheduled_status_says_what_will_be_posted(clients: Clients) -> None:
    ann, _ = clients
    asked = ann.post("v1/statuses", status="?", scheduled_at=hours_away(2), **POLL)
    poll = {"options": ["yes", "no"], "expires_in": 3600, "multiple": False, "hide_totals": False}
    assert (asked["params"]["poll"], asked["params"]["media_ids"]) == (poll, None)
    media = ann.post("v2/media", file=picture_file())["id"]
    shown = ann.post("v1/statuses", **{"media_ids[]": media, "scheduled_at": hours_away(2)})
    assert (shown["params"]["poll"], shown["params"]["media_ids"]) == (None, [media])
    assert ids(shown["media_attachments"]) == [int(media)]


@pytest.mark.parametrize("meanwhile", ["deleted", "saved again"])
def test_a_status_that_is_gone_or_changed_meanwhile_is_not_scheduled_anew(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    ann, _ = clients
    made = ann.post("v1/statuses", status="hm", scheduled_at=hours_away(2))
    parsed = scheduled.parse_time

    def parse_time(text: str) -> datetime:
        """Change the draft that was read, as another request may."""
        [draft] = drafts.list_all(db(), 1)[0]
        if meanwhile == "deleted":
            drafts.delete(db(), 1, draft.form_key)
        else:
            drafts.save(site(), 1, draft.form_key, {"text": "better"}, draft.due)
        return parsed(text)

    monkeypatch.setattr(scheduled, "parse_time", parse_time)
    call = f"PUT /api/v1/scheduled_statuses/{made['id']}"
    assert ann.call(call, data={"scheduled_at": hours_away(3)}).status_code == 404
    kept = [one["params"]["text"] for one in ann.get("v1/scheduled_statuses")]
    assert kept == ([] if meanwhile == "deleted" else ["better"])


def test_posts_begin_with_what_the_account_says(clients: Clients) -> None:
    ann, _ = clients
    route = "PATCH /api/v1/accounts/update_credentials"
    sent = {"source[privacy]": "private", "source[quote_policy]": "nobody"}
    changed = ann.call(route, data=sent).json["source"]
    assert (changed["privacy"], changed["quote_policy"]) == ("private", "nobody")
    assert ann.get("v1/preferences")["posting:default:visibility"] == "private"
    made = ann.post("v1/statuses", status="hm")
    assert (made["visibility"], made["quote_approval"]["automatic"]) == ("private", [])
    assert ann.post("v1/statuses", status="all", visibility="public")["visibility"] == "public"
    assert ann.call(route, json={"source": {"privacy": "secret"}}).status_code == 422
    sent = {"source": {"sensitive": True, "language": "hr"}, "note": "hi"}
    kept = ann.call(route, json=sent).json["source"]
    assert (kept["privacy"], kept["quote_policy"], kept["note"]) == ("private", "nobody", "hi")
    assert (kept["sensitive"], kept["language"]) == (True, "hr")
    made = ann.post("v1/statuses", status="hm")
    assert (made["sensitive"], made["language"]) == (True, "hr")
    assert not ann.post("v1/statuses", status="hm", sensitive="0")["sensitive"]


def test_a_change_of_the_name_leaves_what_posts_begin_with(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "remember", lambda *_arguments, **_fields: pytest.fail("written"))
    route = "PATCH /api/v1/accounts/update_credentials"
    assert clients[0].call(route, data={"display_name": "Ann B"}).status_code == 200


def test_posts_of_apps_do_not_begin_with_what_was_chosen_on_pages(
    app: Flask, clients: Clients
) -> None:
    ann, _ = clients
    db = app.extensions["linnet.db"]
    member = db.read(accounts.get_or_404(1))
    remember(db, member, Audience(Visibility.MENTIONED))
    assert ann.post("v1/statuses", status="hm")["visibility"] == "public"


@pytest.mark.parametrize(
    ("sent", "stored"), [("hr", "hr"), ("zh-TW", "zh-TW"), ("xx", "en"), ("und", "en"), ("", "en")]
)
def test_a_status_has_the_language_that_is_sent(clients: Clients, sent: str, stored: str) -> None:
    ann, _ = clients
    text = "This is certainly an English sentence about birds."
    made = ann.post("v1/statuses", status=text, language=sent)
    assert made["language"] == stored
    route = f"PUT /api/v1/statuses/{made['id']}"
    assert ann.call(route, data={"status": f"{text} Yes!"}).json["language"] == stored
    assert ann.call(route, data={"status": text, "language": "de"}).json["language"] == "de"


def test_an_idempotency_key_gives_the_first_status_back(clients: Clients) -> None:
    first, again = (
        clients[0].call(ROUTE, data={"status": text}, headers=KEY).json
        for text in ("first", "again")
    )
    assert first["id"] == again["id"] and again["content"] == "<p>first</p>"


def test_pictures_of_a_deleted_status_can_be_posted_again(clients: Clients) -> None:
    ann, _ = clients
    media = ann.post("v2/media", file=picture_file(), description="a swift")["id"]
    for visibility in ("private", "public"):
        sent = {"media_ids[]": media, "visibility": visibility}
        made = ann.post("v1/statuses", **sent)
        assert ids(made["media_attachments"]) == [int(media)]
        path = made["media_attachments"][0]["url"].removeprefix("http://localhost")
        assert ann.call(f"GET {path}").status_code == 200
        deleted = ann.call(f"DELETE /api/v1/statuses/{made['id']}").json
        assert deleted["media_attachments"][0]["description"] == "a swift"
    made = ann.post("v1/statuses", **{"media_ids[]": media})
    ann.call(f"DELETE /api/v1/statuses/{made['id']}?delete_media=true")
    assert ann.call(ROUTE, data={"media_ids[]": media}).status_code == 422


def test_a_refused_status_opens_no_pictures_of_another(clients: Clients, app: Flask) -> None:
    ann, _ = clients
    media = {"media_ids[]": ann.post("v2/media", file=picture_file())["id"]}
    made = ann.call(ROUTE, data={**media, "visibility": "private"}, headers=KEY).json
    folder = app.extensions["linnet.config"].media_path
    assert list(folder.rglob("*.restricted"))
    assert ann.call(ROUTE, data={**media, "visibility": "public"}).status_code == 422
    again = ann.call(ROUTE, data={**media, "visibility": "public"}, headers=KEY).json
    assert again["id"] == made["id"]
    assert list(folder.rglob("*.restricted"))


@pytest.mark.parametrize("hours", [-1, 2])  # one of the past is posted
def test_a_status_mentions_only_whom_the_app_allows(clients: Clients, hours: int) -> None:
    mentions = {"status": "hm @ann and @ben", "allowed_mentions": [1]}
    sent = mentions | {"scheduled_at": hours_away(hours)}
    refused = clients[0].call(ROUTE, json=sent)
    assert refused.status_code == 422
    assert [one["acct"] for one in refused.json["unexpected_accounts"]] == ["ben"]
    assert clients[0].call(ROUTE, json=sent | {"allowed_mentions": [2, 1]}).status_code == 200


def test_a_handle_of_this_host_is_the_name_alone(clients: Clients) -> None:
    ann, _ = clients
    others = "@ben@localhost.example https://a.example/@ben@localhost"
    made = ann.post("v1/statuses", status=f"hi @ben@LOCALHOST. {others}")
    path = f"v1/statuses/{made['id']}"
    assert [one["acct"] for one in made["mentions"]] == ["ben"]
    assert ann.get(f"{path}/source")["text"] == f"hi @ben. {others}"
    edited = ann.call(f"PUT /api/{path}", data={"status": "oh @ben@localhost"}).json
    assert [one["acct"] for one in edited["mentions"]] == ["ben"]
    later = ann.post("v1/statuses", status="hi @ben@localhost", scheduled_at=hours_away(2))
    assert later["params"]["text"] == "hi @ben"


def test_a_filter_applies_somewhere(clients: Clients) -> None:
    sent = {"title": "sea", "context": ["word"]}
    assert clients[0].call("POST /api/v2/filters", json=sent).status_code == 422


def test_a_vote_counts_once(clients: Clients) -> None:
    ann, ben = clients
    route = f"POST /api/v1/polls/{ann.post('v1/statuses', status='?', **POLL)['id']}/votes"
    assert ben.call(route, json={"choices": [1]}).json["own_votes"] == [1]
    again = ben.call(route, json={"choices": [1]})
    sentence = "Validation failed: You have already voted on this poll"
    assert (again.status_code, again.json["error"]) == (422, sentence)


@pytest.mark.parametrize("choices", ["1", "7", "x"])
def test_a_vote_that_does_not_count_is_invalid(clients: Clients, choices: str) -> None:
    ann, ben = clients
    poll = ann.post("v1/statuses", status="?", **POLL)["poll"]["id"]
    assert ben.post(f"v1/polls/{poll}/votes", **{"choices[]": "0"})["own_votes"] == [0]
    for client in clients:
        answer = client.call(f"POST /api/v1/polls/{poll}/votes", data={"choices[]": choices})
        assert answer.status_code == 422
        assert answer.json["error"].startswith("Validation failed: ")


def test_all_versions_have_the_pictures_and_the_poll(clients: Clients) -> None:
    ann, ben = clients
    media = ann.post("v2/media", file=picture_file())["id"]
    made: list[dict[str, Any]] = [
        ann.post("v1/statuses", **{"status": "look", "media_ids[]": media}),
        ann.post("v1/statuses", status="?", **POLL),
    ]
    first, second = (ben.get(f"v1/statuses/{one['id']}/history")[0] for one in made)
    assert first["media_attachments"] == made[0]["media_attachments"] and "poll" not in first
    assert second["poll"] == ben.get(f"v1/polls/{made[1]['poll']['id']}")


def test_a_request_to_follow_takes_the_choices_of_a_follow(clients: Clients) -> None:
    ann, ben = clients
    ben.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    asked = ann.post("v1/accounts/2/follow", notify="true", reblogs="true")
    assert asked["requested"] and asked["showing_reblogs"] and not asked["notifying"]
    assert not ann.post("v1/accounts/2/follow", reblogs="false")["showing_reblogs"]


def test_only_members_are_put_on_lists_and_reported(clients: Clients) -> None:
    ann, _ = clients
    number = ann.post("v1/lists", title="birds")["id"]
    route = f"POST /api/v1/lists/{number}/accounts"
    assert ann.call(route, data={"account_ids[]": ["2", "4242"]}).status_code == 404
    assert ann.get(f"v1/lists/{number}/accounts") == []
    status = ann.post("v1/statuses", status="hm")["id"]
    for sent in ({}, {"account_id": "4242"}, {"status_ids[]": status}):
        assert ann.call("POST /api/v1/reports", data=sent).status_code == 404


def test_a_call_puts_forty_members_on_a_list_or_takes_them_off_and_no_more(
    clients: Clients,
) -> None:
    ann, _ = clients
    path = f"v1/lists/{ann.post('v1/lists', title='birds')['id']}/accounts"
    sent = ["2"] * 40
    for method, left in (("POST", ["2"]), ("DELETE", [])):
        refused = ann.call(f"{method} /api/{path}", json={"account_ids": [*sent, "2"]})
        assert refused.status_code == 422
        assert "At most 40 accounts" in refused.json["error"]
        assert ann.call(f"{method} /api/{path}", json={"account_ids": sent}).status_code == 200
        assert [one["id"] for one in ann.get(path)] == left


def test_a_repeated_post_with_a_picture_is_the_same_status(clients: Clients) -> None:
    ann, _ = clients
    sent = {"status": "look", "media_ids[]": ann.post("v2/media", file=picture_file())["id"]}
    headers = {"Idempotency-Key": "once"}
    made = [ann.call(ROUTE, data=sent, headers=headers).json["id"] for _ in range(2)]
    assert made[0] == made[1]


def test_a_picture_that_no_status_shows_can_be_removed(clients: Clients) -> None:
    ann, ben = clients
    sent = ann.post("v2/media", file=picture_file())
    route = f"DELETE /api/v1/media/{sent['id']}"
    assert ben.call(route).status_code == 404
    assert ann.call(route).json == {}
    shown = ann.call(f"GET {sent['url'].removeprefix('http://localhost')}")
    assert (shown.status_code, ann.call(route).status_code) == (404, 404)
    assert ann.call(ROUTE, data={"media_ids[]": sent["id"]}).status_code == 422
    used = ann.post("v2/media", file=picture_file())
    made = ann.post("v1/statuses", **{"media_ids[]": used["id"]})
    assert ann.call(f"DELETE /api/v1/media/{used['id']}").status_code == 404
    assert ann.get(f"v1/statuses/{made['id']}")["media_attachments"]


def test_a_block_ends_follows_at_once(clients: Clients) -> None:
    ann, ben = clients
    assert not ann.post("v1/accounts/2/block")["followed_by"]
    [found] = ben.get("v1/accounts/relationships", id="1")
    assert not found["following"]


def test_a_follower_is_removed_at_once(settings: Config) -> None:
    web = Web(make_app(replace(settings, inline_projections=False)))
    ann, ben = web.people("ann", "ben")
    web.do(World.follow, ben, "ann")
    client = ApiClient(web.client.application, app_token(web, ann))
    [before] = client.get("v1/accounts/relationships", id=ben)
    assert before["followed_by"]
    removed = client.post(f"v1/accounts/{ben}/remove_from_followers")
    assert removed == before | {"followed_by": False}
    web.db.close()


def test_who_has_not_asked_cannot_be_let_in(clients: Clients) -> None:
    ann, ben = clients
    ann.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    for answer in ("authorize", "reject"):
        assert ben.call(f"POST /api/v1/follow_requests/1/{answer}").status_code == 404
    ben.post("v1/accounts/1/unfollow")
    ben.post("v1/accounts/1/follow")
    for _ in range(2):
        assert ann.post("v1/follow_requests/2/authorize")["followed_by"]
    assert ann.call("POST /api/v1/follow_requests/2/reject").status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"filter_action": "burn"},
        {"context[]": "moon"},
        {"keywords_attributes[][keyword]": "x" * 101},
    ],
)
def test_a_filter_has_an_action_a_place_and_words(clients: Clients, wrong: dict[str, str]) -> None:
    sent = {"title": "birds", "context[]": "home", "keywords_attributes[][keyword]": "swift"}
    answer = clients[0].call("POST /api/v2/filters", data=sent | wrong)
    assert answer.status_code == 422
    assert clients[0].get("v2/filters") == []


def test_a_picture_may_be_described_with_a_thumbnail(clients: Clients) -> None:
    sent = clients[0].post("v2/media", file=picture_file())
    thumbnail = BytesIO(bytes(100_000)), "x.png"
    form = {"description": "hm", "thumbnail": thumbnail}
    answer = clients[0].call(f"PUT /api/v1/media/{sent['id']}", data=form)
    assert (answer.status_code, answer.json["description"]) == (200, "hm")
    assert answer.json["url"] == sent["url"]
