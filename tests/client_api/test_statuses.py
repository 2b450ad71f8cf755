"""Writing and reading statuses through the client API."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from PIL import Image

from tests.support.client_api import Clients, ids
from tests.support.concurrently import at_once
from webapp.client_api.http import Paging
from webapp.client_api.newer import filled_page
from webapp.core.store import Site
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.status import Status


def picture(colour: str = "red") -> tuple[BytesIO, str]:
    """Return a picture to upload."""
    file = BytesIO()
    Image.new("RGB", (300, 200), colour).save(file, "PNG")
    file.seek(0)
    return file, "picture.png"


def test_a_post_reads_as_clients_expect_it(clients: Clients) -> None:
    ann, _ = clients
    made = ann.post("v1/statuses", status="Hi @ben, #Birds\n\nhttps://example.org/" + "x" * 40)
    assert made["content"] == (
        '<p>Hi <span class="h-card" translate="no"><a href="http://localhost/@ben" '
        'class="u-url mention">@<span>ben</span></a></span>, '
        '<a href="http://localhost/tags/birds" class="mention hashtag" rel="tag">'
        "#<span>Birds</span></a></p>"
        f'<p><a href="https://example.org/{"x" * 40}" target="_blank" rel="nofollow noopener" '
        'translate="no"><span class="invisible">https://</span>'
        f'<span class="ellipsis">example.org/{"x" * 18}</span>'
        f'<span class="invisible">{"x" * 22}</span></a></p>'
    )
    assert made["mentions"] == [
        {"id": "2", "username": "ben", "acct": "ben", "url": "http://localhost/@ben"}
    ]
    assert made["tags"] == [{"name": "birds", "url": "http://localhost/tags/birds"}]
    assert made["created_at"].endswith("Z") and len(made["created_at"]) == 24
    assert made == ann.get(f"v1/statuses/{made['id']}")


def test_a_mention_leads_where_its_member_is_listed_however_it_is_written(clients: Clients) -> None:
    made = clients[0].post("v1/statuses", status="Hi @BEN and @Nobody")
    [mentioned] = made["mentions"]
    assert f'<a href="{mentioned["url"]}" class="u-url mention">@<span>ben<' in made["content"]
    assert made["content"].endswith(" and @Nobody</p>")


def test_the_same_key_gives_the_same_status_to_fifty_at_once(clients: Clients) -> None:
    ann, _ = clients
    headers = {"Idempotency-Key": "a key with spaces"}

    def send(_: int) -> Any:
        return ann.call("POST /api/v1/statuses", data={"status": "once"}, headers=headers).json

    assert len({made["id"] for made in at_once(10, send, range(50))}) == 1


WRONG_STATUSES: list[dict[str, Any]] = [
    {"status": ""},
    {"status": "x" * 281},
    {"status": "hm", "visibility": "secret"},
    {"status": "hm", "spoiler_text": "x" * 101},
    {"status": "hm", "poll[options][]": ["a"], "poll[expires_in]": "300"},
    {"status": "hm", "poll[options][]": ["a", "a"], "poll[expires_in]": "300"},
    {"status": "hm", "poll[options][]": ["a", "a\u202e"], "poll[expires_in]": "300"},
    {"status": "hm", "poll[options][]": ["a", "\u200b"], "poll[expires_in]": "300"},
    {"status": "hm", "poll[options][]": ["a", "b" * 51], "poll[expires_in]": "300"},
    {"status": "hm", "scheduled_at": "soon"},
    {"status": "hm", "in_reply_to_id": "x"},
]


def test_a_wrong_status_is_refused_and_nothing_is_posted(clients: Clients) -> None:
    ann, _ = clients
    for fields in WRONG_STATUSES:
        answer = ann.call("POST /api/v1/statuses", data=fields)
        assert answer.status_code == 422, fields
        assert answer.json["error"].startswith("Validation failed: "), fields
    assert ann.get("v1/accounts/1/statuses") == []


def test_a_text_that_is_too_long_is_refused_in_the_language_of_the_reader(clients: Clients) -> None:
    for language, reason in (
        ("en", "That’s 40 characters too long."),
        ("zh-CN", "超出了 40 个字符。"),
    ):
        answer = clients[0].call(
            "POST /api/v1/statuses",
            data={"status": "鸟" * 160},
            headers={"Accept-Language": language},
        )
        assert (answer.status_code, answer.json["error"]) == (422, f"Validation failed: {reason}")


def test_pictures_are_remembered_until_they_are_posted(clients: Clients) -> None:
    ann, ben = clients
    sent = ann.call(
        "POST /api/v2/media", data={"file": picture(), "description": "red", "focus": "0.2,-0.4"}
    ).json
    assert sent["meta"]["focus"] == {"x": 0.2, "y": -0.4} and sent["description"] == "red"
    assert sent["remote_url"] is sent["preview_remote_url"] is None
    path = f"v1/media/{sent['id']}"
    assert ann.get(path) == sent
    assert ben.call(f"GET /api/{path}").status_code == 404
    ann.call(f"PUT /api/{path}", data={"description": "very red"})
    stolen = ben.call("POST /api/v1/statuses", data={"status": "mine", "media_ids[]": sent["id"]})
    assert stolen.status_code == 422
    made = ann.post("v1/statuses", **{"status": "", "media_ids[]": sent["id"]})
    [shown] = made["media_attachments"]
    assert (shown["id"], shown["description"]) == (sent["id"], "very red")
    assert ann.call(f"GET {shown['url'].removeprefix('http://localhost')}").status_code == 200
    again = ann.call("POST /api/v1/statuses", data={"status": "", "media_ids[]": sent["id"]})
    assert again.status_code == 422


def test_a_status_has_at_most_four_pictures_each_once(clients: Clients) -> None:
    ann, _ = clients
    colours = ("red", "green", "blue", "black", "white")
    names = [
        ann.call("POST /api/v2/media", data={"file": picture(colour)}).json["id"]
        for colour in colours
    ]
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    for scheduled in ("", later):
        sent = {"status": "hm", "media_ids[]": names, "scheduled_at": scheduled}
        answer = ann.call("POST /api/v1/statuses", data=sent)
        assert answer.status_code == 422
        assert answer.json["error"] == "Validation failed: At most 4 pictures in a post"
    polled = {"status": "hm", "media_ids[]": names[0], "poll[options][]": ["a", "b"]}
    assert ann.call("POST /api/v1/statuses", data=polled).status_code == 422
    made = ann.post("v1/statuses", **{"status": "hm", "media_ids[]": [names[0], *names[:4]]})
    assert [one["id"] for one in made["media_attachments"]] == names[:4]
    used = ann.call(f"PUT /api/v1/media/{names[0]}", data={"description": "too late"})
    assert used.status_code == 404


def test_a_picture_for_few_opens_by_its_address_alone(app: Flask, clients: Clients) -> None:
    ann, ben = clients
    sent = ann.call("POST /api/v1/media", data={"file": picture()}).json
    fields = {"status": "few", "media_ids[]": sent["id"], "visibility": "private"}
    made = ann.post("v1/statuses", **fields)
    [shown] = ben.get(f"v1/statuses/{made['id']}")["media_attachments"]
    path = shown["url"].removeprefix("http://localhost")
    assert app.test_client().get(path).status_code == 200
    assert app.test_client().get(path.partition("?")[0]).status_code == 404


@pytest.mark.parametrize("file", [None, (BytesIO(b"no picture"), "x.png")])
def test_a_file_that_is_no_picture_is_refused(clients: Clients, file: Any) -> None:
    answer = clients[0].call("POST /api/v2/media", data={"file": file} if file else {})
    assert answer.status_code == 422


def test_acts_are_counted_in_their_answers(clients: Clients) -> None:
    ann, ben = clients
    path = f"v1/statuses/{ann.post('v1/statuses', status='hm')['id']}"
    liked = ben.post(f"{path}/favourite")
    assert (liked["favourited"], liked["favourites_count"]) == (True, 1)
    boosted = ben.post(f"{path}/reblog")
    assert boosted["reblogged"] and boosted["reblogs_count"] == 1
    assert ben.post(f"{path}/bookmark")["bookmarked"]
    assert ids(ben.get("v1/bookmarks")) == ids(ben.get("v1/favourites")) == [int(liked["id"])]
    assert [one["acct"] for one in ann.get(f"{path}/favourited_by")] == ["ben"]
    assert [one["acct"] for one in ann.get(f"{path}/reblogged_by")] == ["ben"]
    undone = [ben.post(f"{path}/{act}") for act in ("unfavourite", "unreblog", "unbookmark")]
    assert undone[-1]["favourites_count"] == undone[-1]["reblogs_count"] == 0


def test_a_boost_is_a_status_of_the_booster(clients: Clients) -> None:
    ann, ben = clients
    made = ann.post("v1/statuses", status="hm")
    ben.post(f"v1/statuses/{made['id']}/reblog")
    [boost] = ben.get("v1/accounts/2/statuses")
    assert boost["account"]["acct"] == "ben" and boost["id"] != made["id"]
    assert boost["reblog"]["id"] == made["id"] and boost["content"] == made["content"]


def test_a_thread_has_what_is_above_and_below(clients: Clients) -> None:
    ann, ben = clients
    first = ann.post("v1/statuses", status="first")
    second = ben.post("v1/statuses", status="@ann second", in_reply_to_id=first["id"])
    third = ann.post("v1/statuses", status="@ben third", in_reply_to_id=second["id"])
    found = ann.get(f"v1/statuses/{second['id']}/context")
    assert (ids(found["ancestors"]), ids(found["descendants"])) == (ids([first]), ids([third]))


def test_a_reply_is_narrowed_to_its_parents_audience(clients: Clients) -> None:
    ann, ben = clients
    parent = ann.post("v1/statuses", status="for @ben", visibility="direct")
    fields = {"status": "wide", "in_reply_to_id": parent["id"], "visibility": "public"}
    assert ben.post("v1/statuses", **fields)["visibility"] == "direct"


def test_polls_are_voted_in_once(clients: Clients) -> None:
    ann, ben = clients
    poll = {"options": ["yes", "no"], "expires_in": 3600, "multiple": False}
    made = ann.call("POST /api/v1/statuses", json={"status": "?", "poll": poll}).json
    voted = ben.post(f"v1/polls/{made['poll']['id']}/votes", **{"choices[]": "1"})
    assert (voted["voted"], voted["own_votes"], voted["votes_count"]) == (True, [1], 1)
    again = ben.call(f"POST /api/v1/polls/{made['id']}/votes", data={"choices[]": "0"})
    assert again.status_code == 422
    own = ann.call(f"POST /api/v1/polls/{made['id']}/votes", data={"choices[]": "0"})
    assert own.status_code == 422
    assert ann.get(f"v1/polls/{made['id']}")["options"][1] == {"title": "no", "votes_count": 1}


def test_edits_keep_what_is_not_sent(clients: Clients) -> None:
    ann, ben = clients
    made = ann.post("v1/statuses", status="one swift", spoiler_text="birds")
    path = f"v1/statuses/{made['id']}"
    edited = ann.call(f"PUT /api/{path}", data={"status": "two swifts"}).json
    assert (edited["spoiler_text"], edited["edited_at"] is not None) == ("birds", True)
    assert ann.get(f"{path}/source")["text"] == "two swifts"
    assert [one["content"] for one in ben.get(f"{path}/history")] == [
        "<p>one swift</p>",
        "<p>two swifts</p>",
    ]
    assert ben.call(f"PUT /api/{path}", data={"status": "mine"}).status_code == 404


def test_an_edit_describes_pictures_and_changes_no_others(clients: Clients) -> None:
    ann, _ = clients
    sent = ann.post("v2/media", file=picture(), description="a swift")["id"]
    path = f"v1/statuses/{ann.post('v1/statuses', status='one', **{'media_ids[]': sent})['id']}"

    def edit(**fields: Any) -> Any:
        return ann.call(f"PUT /api/{path}", json={"status": "two", **fields})

    rows = [{"id": sent, "focus": "0.4,-0.4"}, {"id": "1", "description": "of nothing"}]
    [shown] = edit(media_ids=[sent], media_attributes=rows).json["media_attachments"]
    assert (shown["description"], shown["meta"]["focus"]) == ("a swift", {"x": 0.4, "y": -0.4})
    rows = {"0": {"id": sent, "description": ""}}
    [shown] = edit(media_attributes=rows).json["media_attachments"]
    assert (shown["description"], shown["meta"]["focus"]) == (None, {"x": 0.4, "y": -0.4})
    poll = {"options": ["a", "b"], "expires_in": 600}
    for wrong in ({"media_ids": []}, {"media_ids": [sent, "1"]}, {"poll": poll}):
        answer = edit(status="three", **wrong)
        assert (answer.status_code, answer.json["error"][-20:]) == (
            422,
            "post can't be changed"[-20:],
        )
    assert ann.get(f"{path}/source")["text"] == "two"
    asked = ann.post("v1/statuses", **{"poll[options][]": poll["options"], "poll[expires_in]": 600})
    path = f"v1/statuses/{asked['id']}"
    assert edit(poll=poll, media_ids=[]).json["content"] == "<p>two</p>"


def test_what_is_deleted_comes_back_as_text(clients: Clients) -> None:
    ann, ben = clients
    made = ann.post("v1/statuses", status="gone @ben")
    path = f"/api/v1/statuses/{made['id']}"
    refused = ben.call(f"DELETE {path}")
    assert (refused.status_code, refused.json) == (404, {"error": "Record not found"})
    assert ann.call(f"DELETE {path}").json["text"] == "gone @ben"
    answer = ann.call(f"GET {path}")
    assert (answer.status_code, answer.json) == (404, {"error": "Record not found"})


def test_scheduled_statuses_wait_can_move_and_can_go(clients: Clients) -> None:
    ann, ben = clients
    due = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    made = ann.post("v1/statuses", status="later", scheduled_at=due, spoiler_text="cw")
    assert made["params"]["text"] == "later" and ann.get("v1/timelines/home") == []
    path = f"/api/v1/scheduled_statuses/{made['id']}"
    assert ben.call(f"GET {path}").status_code == 404
    moved = (datetime.now(UTC) + timedelta(hours=5)).isoformat()
    assert (
        ann.call(f"PUT {path}", data={"scheduled_at": moved}).json["scheduled_at"]
        > made["scheduled_at"]
    )
    assert ann.call(f"DELETE {path}").json == {}
    assert ann.get("v1/scheduled_statuses") == []


def test_answers_of_a_poll_are_cleaned_as_those_of_the_form_are(clients: Clients) -> None:
    ann, _ = clients
    poll = {"poll[options][]": ["\u202eyes\0", "n\no\u2066"], "poll[expires_in]": "300"}
    made = ann.post("v1/statuses", status="?", **poll)
    assert [option["title"] for option in made["poll"]["options"]] == ["yes", "n o"]


def test_a_poll_lasts_as_long_as_the_instance_says(clients: Clients) -> None:
    ann, ben = clients
    limits = ben.get("v2/instance")["configuration"]["polls"]
    shortest, longest = limits["min_expiration"], limits["max_expiration"]
    assert (shortest, longest) == (300, 604_800)
    for seconds, minutes in ((shortest, 5), (43_190, 720), (longest, 10_080)):
        poll = {"poll[options][]": ["yes", "no"], "poll[expires_in]": str(seconds)}
        made = ann.post("v1/statuses", status=f"for {seconds}", **poll)
        began, ends = (
            datetime.fromisoformat(one) for one in (made["created_at"], made["poll"]["expires_at"])
        )
        assert ends - began == timedelta(minutes=minutes)
    for seconds in (240, longest + 1, -5):
        poll = {"poll[options][]": ["yes", "no"], "poll[expires_in]": str(seconds)}
        answer = ann.call("POST /api/v1/statuses", data={"status": "?", **poll})
        assert answer.status_code == 422 and "300 to 604800" in answer.json["error"]


def test_pictures_are_sensitive_without_a_warning(clients: Clients) -> None:
    ann, ben = clients
    media = ann.call("POST /api/v2/media", data={"file": picture()}).json["id"]
    made = ann.post("v1/statuses", **{"media_ids[]": media, "sensitive": "true"})
    assert made["sensitive"] and made["spoiler_text"] == ""
    route = f"PUT /api/v1/statuses/{made['id']}"
    assert not ann.call(route, json={"sensitive": False}).json["sensitive"]
    assert not ben.get(f"v1/statuses/{made['id']}")["sensitive"]
    assert ann.call(route, json={"sensitive": True, "status": "look"}).json["sensitive"]
    assert ben.get(f"v1/statuses/{made['id']}/history")[-1]["sensitive"]
    assert ann.call(route, json={"status": "look again"}).json["sensitive"]
    due = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    waiting = ann.post("v1/statuses", status="later", sensitive="true", scheduled_at=due)
    assert waiting["params"]["sensitive"]


@pytest.mark.parametrize("path", ["public", "tag/birds"])
def test_timelines_have_pictures_alone_if_asked(clients: Clients, path: str) -> None:
    ann, ben = clients
    media = ann.call("POST /api/v2/media", data={"file": picture()}).json["id"]
    below = int(ann.post("v1/statuses", status="below")["id"])
    shown = ann.post("v1/statuses", **{"status": "#birds", "media_ids[]": media})
    for _ in range(3):
        ann.post("v1/statuses", status="of #birds")
    for query in ({"limit": 1}, {"limit": 2}, {"limit": 1, "since_id": below}):
        found = ben.get(f"v1/timelines/{path}", only_media="true", **query)
        assert ids(found) == ids([shown]), "an empty page would be the end"
    assert len(ben.get(f"v1/timelines/{path}", only_media="false")) > 3


def test_no_page_is_read_that_is_not_looked_through(app: Flask) -> None:
    read = list[int | None]()

    def load(_site: Site, before: int | None) -> Timeline[Status]:
        read.append(before)
        return Timeline((), (before or 0) - 1)

    with app.test_request_context():
        assert filled_page(Paging(max_id=9), [], load, bool).next == 9 - len(read)


def test_a_timeline_of_hashtags_has_any_all_or_none_of_others(clients: Clients) -> None:
    ann, ben = clients
    texts = ("#birds", "#fish", "#birds and #fish", "#birds and #frogs", "#moss")
    birds, fish, both, frogs, _ = ids([ann.post("v1/statuses", status=text) for text in texts])

    def found(**query: Any) -> list[int]:
        return ids(ben.get("v1/timelines/tag/birds", **query))

    assert found() == [frogs, both, birds]
    assert found(**{"any[]": "Fish"}) == [frogs, both, fish, birds]
    assert found(**{"all[]": "fish"}) == [both]
    assert found(**{"none[]": ["fish", "frogs"]}) == [birds]
    assert found(**{"any[]": "fish", "limit": 2}) == [frogs, both]
    assert found(**{"any[]": "fish", "max_id": both}) == [fish, birds]
    assert found(**{"any[]": "fish", "min_id": birds, "limit": 2}) == [both, fish]


def test_the_statuses_of_a_member_are_those_with_a_hashtag_if_asked(clients: Clients) -> None:
    ann, ben = clients
    birds, _ = ids([ann.post("v1/statuses", status=text) for text in ("#Birds", "#fish")])
    assert ids(ben.get("v1/accounts/1/statuses", tagged="birds")) == [birds]


def test_a_context_is_longer_than_a_page_of_a_thread(clients: Clients) -> None:
    ann, ben = clients
    chain = [ann.post("v1/statuses", status="0")["id"]]
    for number in range(1, 30):
        reply = ann.post("v1/statuses", status=f"{number}", in_reply_to_id=chain[-1])
        chain.append(reply["id"])
    aside = ben.post("v1/statuses", status="aside", in_reply_to_id=chain[0])["id"]
    below = ben.get(f"v1/statuses/{chain[0]}/context")["descendants"]
    assert [one["id"] for one in below] == [*chain[1:], aside]
    assert [one["content"] for one in below[-2:]] == ["<p>29</p>", "<p>aside</p>"]
    middle = ben.get(f"v1/statuses/{chain[-2]}/context")
    assert [one["id"] for one in middle["ancestors"]] == chain[:-2]
    assert [one["id"] for one in middle["descendants"]] == chain[-1:]


def test_a_post_is_missing_to_every_call_of_who_is_blocked(clients: Clients) -> None:
    ann, ben = clients
    poll = {"poll[options][]": ["reeds", "marsh"], "poll[expires_in]": "3600"}
    number = ann.post("v1/statuses", status="where?", **poll)["id"]
    ann.post("v1/accounts/2/block")
    quote = {"status": "hm", "quoted_status_id": number}
    calls = [(f"statuses/{number}/{act}", {}) for act in ("favourite", "reblog", "bookmark")]
    calls += [(f"polls/{number}/votes", {"choices[]": "0"}), ("statuses", quote)]
    for path, sent in calls:
        answer = ben.call(f"POST /api/v1/{path}", data=sent)
        assert (answer.status_code, answer.json) == (404, {"error": "Record not found"}), path
    assert ben.call(f"GET /api/v1/statuses/{number}").status_code == 404
