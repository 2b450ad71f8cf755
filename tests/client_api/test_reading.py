"""Timelines, people, notifications, lists, filters and search through the client API."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from PIL import Image

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, Clients, Three, connected, ids, links
from webapp.accounts.store import uid_by_login
from webapp.client_api import newer
from webapp.client_api.presentation import Wanted, present_wanted
from webapp.core.store import Db
from webapp.core.web.context import site_of
from webapp.notifications import keys as notification_keys
from webapp.notifications.store import entries_of
from webapp.statuses.values.card import LinkCard
from webapp.timelines.trends import store as trends
from webapp.timelines.trends.ranking import Ranking, Trend

HOME_TRIPS_MAX = 3  # one for the token and the home, one for its posts, one for their accounts


def post_many(client: ApiClient, count: int) -> list[int]:
    """Post some statuses. Return their ids, newest first."""
    return ids([client.post("v1/statuses", status=f"number {at}") for at in range(count)])[::-1]


@pytest.mark.parametrize(
    "path", ["v1/timelines/home", "v1/timelines/public", "v1/accounts/1/statuses"]
)
def test_pages_go_on_below_and_above(clients: Clients, path: str) -> None:
    ann, ben = clients
    posted = post_many(ann, 7)
    assert ids(ben.get(path, limit=3)) == posted[:3]
    assert list(links(ben, path, limit=3)) == ["next", "prev"]
    following = links(ben, path, limit=3)["next"].removeprefix("http://localhost/api/")
    assert ids(ben.get(following)) == posted[3:6]
    assert ids(ben.get(path, max_id=posted[4])) == posted[5:]
    assert ids(ben.get(path, since_id=posted[2])) == posted[:2]


@pytest.mark.parametrize(
    "path", ["v1/timelines/home", "v1/timelines/public", "v1/timelines/tag/birds"]
)
def test_a_gap_is_filled_from_below(clients: Clients, path: str) -> None:
    ann, ben = clients
    posted = ids([ann.post("v1/statuses", status=f"#birds {at}") for at in range(7)])[::-1]
    assert ids(ben.get(path, min_id=posted[6], limit=2)) == posted[4:6]
    assert ids(ben.get(path, min_id=posted[1], limit=5)) == posted[:1]
    assert ids(ben.get(path, min_id=posted[6], max_id=posted[3])) == posted[4:6]


def test_a_gap_of_home_is_filled_with_the_hashtags_that_the_reader_follows(three: Three) -> None:
    ann, ben, carl = three
    ben.post("v1/accounts/1/follow")
    ben.post("v1/tags/birds/follow")
    by_turns = [ann, carl] * 4
    posted = ids([one.post("v1/statuses", status="#birds") for one in by_turns])[::-1]
    assert ids(ben.get("v1/timelines/home")) == posted
    assert ids(ben.get("v1/timelines/home", min_id=posted[7], limit=3)) == posted[4:7]
    assert ids(ben.get("v1/timelines/home", min_id=posted[7], limit=1)) == posted[6:7]


def test_boosts_that_home_leaves_out_do_not_end_a_gap(
    app: Flask, member: SignUp, three: Three
) -> None:
    ann, ben, *boosters = *three, *(connected(app, member(login)) for login in ("dan", "eve"))
    for uid in (1, 3, 4, 5):
        ben.post(f"v1/accounts/{uid}/follow")
    first = int(ann.post("v1/statuses", status="a wren")["id"])
    for booster in boosters:
        booster.post(f"v1/statuses/{first}/reblog")
    last = ids([ann.post("v1/statuses", status="a robin")])
    assert ids(ben.get("v1/timelines/home", min_id=first, limit=1)) == last


@pytest.mark.parametrize("path", ["v1/timelines/public", "v1/timelines/tag/birds"])
def test_what_is_not_shown_shortens_no_page_above_an_id(three: Three, path: str) -> None:
    ann, ben, carl = three
    by_turns = [ann, *[carl] * 5, ann, ann]
    posted = ids([one.post("v1/statuses", status="#birds") for one in by_turns])[::-1]
    ben.post("v1/accounts/3/block")
    assert ids(ben.get(path, min_id=posted[7], limit=2)) == posted[:2]


@pytest.mark.parametrize("is_above", [False, True])
def test_a_narrowed_page_is_filled_from_further_entries(
    monkeypatch: pytest.MonkeyPatch, clients: Clients, is_above: bool
) -> None:
    monkeypatch.setattr(newer, "overfetch", lambda _size: 3)
    ann, ben = clients
    texts = ["#birds", *["#birds #mud"] * 6, "#birds", *["#birds #mud"] * 6, "#birds"]
    posted = ids([ann.post("v1/statuses", status=text) for text in texts])[::-1]
    asked = {"min_id": posted[-1]} if is_above else {}
    found = ben.get("v1/timelines/tag/birds", limit=2, **{"none[]": "mud"}, **asked)
    assert ids(found) == [posted[0], posted[7]]


def test_a_home_above_an_id_goes_on_where_nothing_of_it_is_shown(
    monkeypatch: pytest.MonkeyPatch, clients: Clients
) -> None:
    monkeypatch.setattr(newer, "overfetch", lambda _size: 3)
    ann, ben = clients
    hidden = {"title": "mud", "context[]": "home", "filter_action": "hide"}
    ben.post("v2/filters", **hidden, **{"keywords_attributes[0][keyword]": "mud"})
    texts = ["first", *["mud"] * 30, "last"]
    posted = ids([ann.post("v1/statuses", status=text) for text in texts])
    path, seen = f"v1/timelines/home?limit=1&min_id={posted[0]}", list[int]()
    for _ in range(3):
        seen += ids(ben.get(path))
        path = links(ben, path)["prev"].removeprefix("http://localhost/api/")
    assert seen == [posted[-1]]


def test_addresses_of_pages_are_plain_letters(clients: Clients) -> None:
    """A header with others is a fault of the server."""
    posted = ids([clients[0].post("v1/statuses", status=f"#鸟 {at}") for at in range(3)])[::-1]
    next_page = links(clients[1], "v1/timelines/tag/鸟", limit=2)["next"]
    assert next_page.isascii()
    assert ids(clients[1].get(next_page.removeprefix("http://localhost/api/"))) == posted[2:]


@pytest.mark.parametrize(
    "path",
    ["v1/timelines/home", "v1/notifications", "v1/accounts/1/followers", "v1/followed_tags"],
)
def test_a_cursor_that_a_library_made_of_a_time_is_that_time(clients: Clients, path: str) -> None:
    ann, ben = clients
    ben.post(f"v1/statuses/{post_many(ann, 2)[0]}/favourite")
    ann.post("v1/tags/birds/follow")
    earlier, later = (int(time.time() + seconds) * 1000 << 16 for seconds in (-60, 60))
    found = ann.get(path)
    assert found and ann.get(path, min_id=earlier, max_id=later) == found
    assert ann.get(path, since_id=later) == ann.get(path, max_id=earlier) == []


def test_home_takes_as_many_trips_as_a_page(app: Flask, clients: Clients) -> None:
    ann, ben = clients
    post_many(ann, 25)
    ben.get("v1/timelines/home")
    db: Db = app.extensions["linnet.db"]
    before = db.trips
    ben.get("v1/timelines/home")
    assert db.trips - before <= HOME_TRIPS_MAX


def test_nothing_of_another_site_is_there(clients: Clients) -> None:
    post_many(clients[0], 1)
    assert clients[1].get("v1/timelines/public", remote="true") == []
    assert len(clients[1].get("v1/timelines/public", local="1")) == 1


def test_relationships_follow_what_the_caller_does(clients: Clients) -> None:
    ann, ben = clients
    assert ann.get("v1/accounts/relationships", **{"id[]": ["2", "4242"]})[0]["followed_by"]
    acts = {
        "v1/accounts/1/unfollow": ("following", False),
        "v1/accounts/1/follow": ("following", True),
        "v1/accounts/1/mute": ("muting", True),
        "v1/accounts/1/unmute": ("muting", False),
        "v1/accounts/1/block": ("blocking", True),
        "v1/accounts/1/unblock": ("blocking", False),
    }
    for path, (name, value) in acts.items():
        assert ben.post(path)[name] is value, path
    hidden = ben.post("v1/accounts/1/follow", reblogs="false")
    assert (hidden["following"], hidden["showing_reblogs"]) == (True, False)
    muted = ben.post("v1/accounts/1/mute", duration="3600", notifications="false")
    assert muted["muting_expires_at"] and not muted["muting_notifications"]
    [shown] = ben.get("v1/mutes")
    assert (shown["acct"], shown["mute_expires_at"]) == ("ann", muted["muting_expires_at"])
    ben.post("v1/accounts/1/mute")
    assert ben.get("v1/mutes")[0]["mute_expires_at"] is None


def test_notes_and_bells_are_the_callers_own(clients: Clients) -> None:
    ann, ben = clients
    assert ben.post("v1/accounts/1/note", comment="sings well")["note"] == "sings well"
    assert ben.call("POST /api/v1/accounts/1/note", data={"comment": "x" * 501}).status_code == 422
    assert ben.post("v1/accounts/1/follow", notify="true")["notifying"]
    made = ann.post("v1/statuses", status="news")
    [rung] = ben.get("v1/notifications")
    assert (rung["type"], rung["status"]["id"]) == ("status", made["id"])
    assert ben.post("v1/accounts/1/note", comment="")["note"] == ""
    assert ben.post("v1/accounts/1/follow", notify="false")["notifying"] is False


def test_followers_of_a_locked_account_are_asked_for(clients: Clients) -> None:
    ann, ben = clients
    ann.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    ben.post("v1/accounts/1/unfollow")
    assert ben.post("v1/accounts/1/follow")["requested"]
    assert [one["acct"] for one in ann.get("v1/follow_requests")] == ["ben"]
    assert ann.post("v1/follow_requests/2/authorize")["followed_by"]
    assert [one["acct"] for one in ann.get("v1/accounts/1/followers")] == ["ben"]


def test_the_profile_is_changed_as_apps_send_it(clients: Clients) -> None:
    ann, _ = clients
    fields = {
        "display_name": "Ann B",
        "note": "hi #x",
        "fields_attributes[0][name]": "Website",
        "fields_attributes[0][value]": "example.org",
    }
    changed = ann.call("PATCH /api/v1/accounts/update_credentials", data=fields).json
    assert changed["display_name"] == "Ann B" and changed["source"]["note"] == "hi #x"
    assert changed["fields"][0]["name"] == "Website"
    nameless = ann.call("PATCH /api/v1/accounts/update_credentials", data={"display_name": " "})
    assert nameless.json["display_name"] == ""  # the login stands for it
    header = changed["header"].removeprefix("http://localhost")
    assert header.endswith("/original/missing.png")
    for path in (header, changed["avatar"].removeprefix("http://localhost")):
        assert ann.call(f"GET {path}").data.startswith(b"\x89PNG")


def test_both_pictures_of_a_profile_come_in_one_request(app: Flask, clients: Clients) -> None:
    files = {name: (BytesIO(), f"{name}.png") for name in ("avatar", "header")}
    for file, _ in files.values():
        Image.effect_noise((500, 500), 99).save(file, "PNG")
        assert file.tell() > 2 * app.extensions["linnet.config"].body_max
        file.seek(0)
    changed = clients[0].call("PATCH /api/v1/accounts/update_credentials", data=files).json
    assert "/media/" in changed["avatar"] and "/media/" in changed["header"]


@pytest.mark.parametrize(
    "wrong",
    [{"header": (BytesIO(b"no picture"), "header.png")}, {"source[privacy]": "nobody"}],
)
def test_a_refused_profile_keeps_no_picture(
    app: Flask, clients: Clients, wrong: dict[str, Any]
) -> None:
    avatar = BytesIO()
    Image.effect_noise((500, 500), 99).save(avatar, "PNG")
    sent = {"avatar": (BytesIO(avatar.getvalue()), "avatar.png"), **wrong}
    answer = clients[0].call("PATCH /api/v1/accounts/update_credentials", data=sent)
    assert answer.status_code == 422, answer.text
    assert list(app.extensions["linnet.config"].media_path.rglob("*.webp")) == []


def test_notifications_have_types_that_clients_know(clients: Clients) -> None:
    ann, ben = clients
    made = ann.post("v1/statuses", status="hm")
    ben.post(f"v1/statuses/{made['id']}/favourite")
    ben.post("v1/statuses", status="@ann hi")
    found = ann.get("v1/notifications")
    assert [one["type"] for one in found] == ["mention", "favourite", "follow"]
    assert found[1]["status"]["id"] == made["id"] and found[1]["account"]["acct"] == "ben"
    assert ids(ann.get("v1/notifications", **{"types[]": "follow"})) == ids(found[2:])
    assert ids(ann.get("v1/notifications", **{"exclude_types[]": "follow"})) == ids(found[:2])
    assert ids(ann.get("v1/notifications", max_id=found[1]["id"])) == ids(found[2:])
    assert ids(ann.get("v1/notifications", min_id=found[2]["id"], limit=1)) == ids(found[1:2])
    assert ann.get(f"v1/notifications/{found[0]['id']}") == found[0]
    ann.post(f"v1/notifications/{found[0]['id']}/dismiss")
    assert ids(ann.get("v1/notifications")) == ids(found[1:])
    ann.post("v1/notifications/clear")
    assert ann.get("v1/notifications") == [] and ben.get("v1/notifications") == []


def test_clearing_notifications_leaves_those_that_apps_do_not_show(
    app: Flask, clients: Clients
) -> None:
    ann, _ben = clients
    site = site_of(app)
    uid = site.db.read(uid_by_login("ann"))
    site.db.run(("ZADD", notification_keys.notifications(uid), 5, f"abroad:{uid}:0"))
    ann.post("v1/notifications/clear")
    assert [one.kind.name for one in site.db.read(entries_of(uid))] == ["abroad"]


def test_accounts_say_when_they_posted_last_to_those_who_may_know(three: Three) -> None:
    ann, ben, carl = three
    ben.post("v1/accounts/1/follow")

    def last(client: ApiClient) -> Any:
        return client.get("v1/accounts/1")["last_status_at"]

    assert last(ann) is None
    made = ann.post("v1/statuses", status="hm")
    assert last(ann) == last(ben) == last(carl) == made["created_at"][:10]
    ann.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    assert (last(ben), last(carl)) == (made["created_at"][:10], None)
    ann.call(f"DELETE /api/v1/statuses/{made['id']}")
    assert last(ann) is last(ben) is None


def test_a_report_says_no_more_than_the_form_of_the_site_takes(clients: Clients) -> None:
    sent = {"account_id": "1", "comment": "x" * 501}
    answer = clients[1].call("POST /api/v1/reports", data=sent)
    assert answer.status_code == 422 and answer.json["error"].startswith("Validation failed: ")
    assert clients[1].post("v1/reports", **{**sent, "comment": "x" * 500})["comment"]


@pytest.mark.parametrize(("path", "act"), [("bookmarks", "bookmark"), ("favourites", "favourite")])
def test_what_a_member_keeps_is_in_the_order_of_keeping(
    clients: Clients, path: str, act: str
) -> None:
    ann, ben = clients
    kept = post_many(ann, 6)  # the newest is kept first, so it comes last
    for number in kept:
        ben.post(f"v1/statuses/{number}/{act}")
    check_pages(ben, f"v1/{path}", kept[::-1])


def check_pages(client: ApiClient, path: str, kept: Sequence[object]) -> None:
    """Check that pages of three lead through a list of six, in both directions."""

    def shown(path: str, **query: object) -> list[str]:
        return [one["id"] for one in client.get(path, **query)]

    names = list(map(str, kept))
    assert shown(path, limit=3) == names[:3]
    beside = links(client, path, limit=3)
    assert list(beside) == ["next", "prev"]
    below = beside["next"].removeprefix("http://localhost/api/")
    assert shown(below) == names[3:] and "next" not in links(client, below)
    above = links(client, below)["prev"].removeprefix("http://localhost/api/")
    assert shown(above) == names[:3]
    assert shown(f"{above}&limit=2".replace("limit=3&", "")) == names[1:3]
    nothing = beside["prev"].removeprefix("http://localhost/api/")
    assert shown(nothing) == []
    assert shown(above.replace("min_id", "since_id")) == names[:3]


def test_quotes_followed_hashtags_and_scheduled_statuses_have_pages(clients: Clients) -> None:
    ann, ben = clients
    [original] = post_many(ann, 1)
    quotes = [ben.post("v1/statuses", status="so", quoted_status_id=original) for _ in range(6)]
    check_pages(ann, f"v1/statuses/{original}/quotes", ids(quotes)[::-1])
    tags = [ben.post(f"v1/tags/tag{at}/follow")["id"] for at in range(6)]
    check_pages(ben, "v1/followed_tags", tags[::-1])
    days = [(datetime.now(UTC) + timedelta(days=at)).isoformat() for at in range(1, 7)]
    later = [ben.post("v1/statuses", status="hm", scheduled_at=day)["id"] for day in days]
    check_pages(ben, "v1/scheduled_statuses", later)


def test_a_member_who_asks_to_follow_is_known_as_such(clients: Clients) -> None:
    ann, ben = clients
    ben.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    ann.post("v1/accounts/2/follow")
    asked = [
        client.get("v1/accounts/relationships", id=uid) for client, uid in ((ben, 1), (ann, 2))
    ]
    assert [(one["requested"], one["requested_by"]) for [one] in asked] == [
        (False, True),
        (True, False),
    ]


def test_a_muted_conversation_is_shown_as_muted_when_it_is(clients: Clients) -> None:
    ann, ben = clients
    first = ann.post("v1/statuses", status="hm")
    reply = ben.post("v1/statuses", status="oh", in_reply_to_id=first["id"])
    for act, is_muted in (("mute", True), ("unmute", False)):
        assert ann.post(f"v1/statuses/{reply['id']}/{act}")["muted"] is is_muted
        for one in (first, reply):
            assert ann.get(f"v1/statuses/{one['id']}")["muted"] is is_muted
            assert not ben.get(f"v1/statuses/{one['id']}")["muted"]


def test_a_name_of_another_site_is_nobody_here(clients: Clients) -> None:
    _, ben = clients
    for handle in ("ann", "@ann", "ann@localhost", "@Ann@LOCALHOST"):
        assert ben.get("v1/accounts/lookup", acct=handle)["id"] == "1"
        assert ids(ben.get("v1/accounts/search", q=handle)) == [1]
    for handle in ("ann@elsewhere.example", "ann@localhost.example"):
        assert ben.call(f"GET /api/v1/accounts/lookup?acct={handle}").status_code == 404
        assert ben.get("v1/accounts/search", q=handle) == []
        assert ben.get("v2/search", q=handle)["accounts"] == []


def test_lists_belong_to_their_owner(clients: Clients) -> None:
    ann, ben = clients
    made = ben.post("v1/lists", title="Birds")
    path = f"v1/lists/{made['id']}"
    ben.post(f"{path}/accounts", **{"account_ids[]": "1"})
    assert [one["acct"] for one in ben.get(f"{path}/accounts", limit=0)] == ["ann"]
    assert ben.get("v1/accounts/1/lists") == [made]
    post_many(ann, 2)
    assert len(ben.get(f"v1/timelines/list/{made['id']}")) == 2
    assert ann.call(f"GET /api/{path}").status_code == 404
    assert ben.call(f"PUT /api/{path}", data={"title": "Other"}).json["title"] == "Other"
    ben.call(f"DELETE /api/{path}/accounts", data={"account_ids[]": "1"})
    assert ben.get(f"{path}/accounts") == []
    ben.call(f"DELETE /api/{path}")
    assert ben.get("v1/lists") == []


def test_filters_fold_or_hide_what_they_match(clients: Clients) -> None:
    ann, ben = clients
    ann.post("v1/statuses", status="a gull and a swift")
    sent = {
        "title": "gulls",
        "context[]": ["home", "account"],
        "filter_action": "warn",
        "keywords_attributes[0][keyword]": "gull",
        "keywords_attributes[0][whole_word]": "true",
    }
    made = ben.post("v2/filters", **sent)
    assert (made["context"], made["keywords"][0]["keyword"]) == (["home", "account"], "gull")
    [shown] = ben.get("v1/timelines/home")
    assert shown["filtered"][0]["keyword_matches"] == ["gull"]
    added = ben.post(f"v2/filters/{made['id']}/keywords", keyword="swift")
    assert [one["phrase"] for one in ben.get("v1/filters")] == ["gull", "swift"]
    ben.call(f"DELETE /api/v2/filters/keywords/{added['id']}")
    ben.call(f"PUT /api/v2/filters/{made['id']}", data={"filter_action": "hide"})
    assert ben.get("v1/timelines/home") == []
    alone = ben.get(f"v1/statuses/{shown['id']}")["filtered"]
    assert [(one["filter"]["filter_action"], one["keyword_matches"]) for one in alone] == [
        ("hide", ["gull"])
    ]
    assert ann.call(f"GET /api/v2/filters/{made['id']}").status_code == 404
    ben.call(f"DELETE /api/v1/filters/{made['keywords'][0]['id']}")
    assert ben.get("v2/filters") == []


def test_a_filter_folds_single_posts(clients: Clients) -> None:
    ann, ben = clients
    first, second = (ann.post("v1/statuses", status="a swift")["id"] for _ in range(2))
    made = ben.post("v2/filters", **{"title": "tired", "context[]": "home"})
    path = f"v2/filters/{made['id']}/statuses"
    added = ben.post(path, status_id=first)
    assert added["status_id"] == first and ben.post(path, status_id=first) == added
    assert ben.get(path) == ben.get(f"v2/filters/{made['id']}")["statuses"] == [added]
    assert ben.get(f"v2/filters/statuses/{added['id']}") == added
    shown = {one["id"]: one["filtered"] for one in ben.get("v1/timelines/home")}
    assert shown[second] == [] and shown[first][0]["status_matches"] == [first]
    assert ben.get("v1/filters") == []
    for wrong in (f"GET /api/v2/filters/keywords/{added['id']}", f"POST /api/{path}"):
        assert ben.call(wrong, data={"status_id": "1"}).status_code == 404
    ben.call(f"DELETE /api/v2/filters/statuses/{added['id']}")
    assert ben.get(path) == [] and len(ben.get("v2/filters")) == 1


def test_a_keyword_keeps_its_id_when_others_go(clients: Clients) -> None:
    ann, _ = clients
    rows = {f"keywords_attributes[{at}][keyword]": word for at, word in enumerate(("a", "b", "c"))}
    made = ann.post("v2/filters", **{"title": "Words", "context[]": "home", **rows})
    first, second, third = made["keywords"]
    for keyword in (first, second):
        assert ann.call(f"DELETE /api/v2/filters/keywords/{keyword['id']}").status_code == 200
        assert ann.call(f"GET /api/v2/filters/keywords/{keyword['id']}").status_code == 404
    path = f"v2/filters/keywords/{third['id']}"
    for word in ("d", "e"):
        assert ann.call(f"PUT /api/{path}", data={"keyword": word}).json["id"] == third["id"]
        assert ann.get(path)["keyword"] == word
    assert [one["id"] for one in ann.get(f"v2/filters/{made['id']}/keywords")] == [third["id"]]


def test_search_finds_people_posts_hashtags_and_addresses(clients: Clients) -> None:
    ann, ben = clients
    made = ann.post("v1/statuses", status="a wheatear! #birds")
    found = ben.get("v2/search", q="wheatear")
    assert ids(found["statuses"]) == [int(made["id"])]
    assert [one["acct"] for one in ben.get("v2/search", q="ann", type="accounts")["accounts"]] == [
        "ann"
    ]
    assert ben.get("v2/search", q="#birds")["hashtags"][0]["name"] == "birds"
    assert ids(ben.get("v2/search", q=made["url"], resolve="true")["statuses"]) == [int(made["id"])]
    assert ids(ben.get("v1/search", q=made["url"], resolve="true")["statuses"]) == [int(made["id"])]
    assert ben.get("v2/search", q=made["account"]["url"])["accounts"][0]["acct"] == "ann"
    assert ben.get("v1/accounts/lookup", acct="ann@localhost")["id"] == "1"
    assert ben.post("v1/tags/Birds/follow")["following"]
    assert [one["name"] for one in ben.get("v1/followed_tags")] == ["birds"]


def test_no_more_is_found_than_asked_for(member: SignUp, clients: Clients) -> None:
    for login in ("annie", "anna"):
        member(login)
    _, ben = clients
    for limit, most in ((2, 2), (-1, 1), (100, 3)):
        assert len(ben.get("v1/accounts/search", q="ann", limit=limit)) == most
    assert len(ben.get("v2/search", q="ann", limit=-1)["accounts"]) == 1
    first, second = (ben.post("v1/statuses", status=word) for word in ("one", "two"))
    for one in (first, second):
        clients[0].post(f"v1/statuses/{one['id']}/favourite")
    popular = ids(ben.get("v1/trends/statuses"))
    assert popular and ids(ben.get("v1/trends/statuses", offset=1)) == popular[1:]


def test_who_is_blocked_gets_no_list_of_people(three: Three) -> None:
    ann, ben, carl = three
    carl.post("v1/accounts/1/follow")
    ann.post("v1/accounts/3/follow")
    ann.post("v1/accounts/2/block")
    for path in ("v1/accounts/1/followers", "v1/accounts/1/following"):
        assert ids(carl.get(path)) == ids(ann.get(path)) == [3]
        assert ben.get(path) == []


def test_the_site_says_what_it_is(clients: Clients) -> None:
    described = ApiClient.get(clients[0], "v2/instance")
    assert described["version"].startswith("4.5.0")
    assert described["configuration"]["statuses"]["max_characters"] == 280
    assert clients[0].get("v1/instance")["uri"] == "localhost"
    codes = [one["code"] for one in clients[0].get("v1/instance/languages")]
    assert codes == described["languages"] == ["en", "zh"]
    for path in ("extended_description", "privacy_policy", "terms_of_service"):
        assert clients[0].get(f"v1/instance/{path}")["content"].startswith("<")
    node = clients[0].call("GET /.well-known/nodeinfo").json["links"][0]["href"]
    software = clients[0].call(f"GET {node.removeprefix('http://localhost')}").json
    assert software["metadata"]["upstream"]["name"] == "mastodon"
    server = clients[0].call("GET /.well-known/oauth-authorization-server").json
    assert server["code_challenge_methods_supported"] == ["S256"]


def trend(item: str, card: LinkCard | None = None) -> Trend:
    """Return a trend of seven members."""
    return Trend(item, 7, "", (1,) * 8, card)


def test_trends_are_those_of_the_site(app: Flask, member: SignUp) -> None:
    card = LinkCard("https://birds.example/swifts", "Swifts")
    ranked = Ranking(
        tags=tuple(map(trend, ("#swifts", "#owls", "#hens"))),
        links=(trend(card.url, card), trend("https://x.example/")),
    )
    trends.save(app.extensions["linnet.db"], 1_900_000_000_000, ranked)
    ann, ben = connected(app, member("ann")), connected(app, member("ben"))
    ann.post("v1/tags/owls/follow")
    found = ann.get("v1/trends/tags")
    assert [one["name"] for one in found] == ["swifts", "owls", "hens"]
    assert [one["following"] for one in found] == [False, True, False]
    assert found[0]["history"][0]["accounts"] == "7"
    assert [one["name"] for one in ben.get("v1/trends/tags", limit=1, offset=1)] == ["owls"]
    [link] = ApiClient(app).get("v1/trends/links")
    assert (link["url"], link["title"], link["history"][0]["uses"]) == (card.url, "Swifts", "7")


def test_posts_with_a_link_that_trends_are_a_timeline(app: Flask, clients: Clients) -> None:
    url = "https://example.org/swifts"
    ranked = Ranking(links=(trend(url), trend("https://x.example/")))
    trends.save(app.extensions["linnet.db"], 1_900_000_000_000, ranked)
    ann, ben = clients
    posted = ids([one.post("v1/statuses", status=f"Look {url}#nests") for one in (ann, ben, ann)])
    ben.post(f"v1/statuses/{posted[0]}/reblog")
    ann.post("v1/statuses", status=f"Only for followers {url}", visibility="private")
    newest = ApiClient(app).get("v1/timelines/link", url=url, limit=2)
    assert ids(newest) == posted[:0:-1]
    assert ids(ben.get("v1/timelines/link", url=url, max_id=posted[1])) == posted[:1]
    ben.post("v1/accounts/1/block")
    assert ids(ben.get("v1/timelines/link", url=url)) == posted[1:2]
    for unknown in ("", f"{url}/2"):
        answer = ben.call("GET /api/v1/timelines/link", query_string={"url": unknown})
        assert answer.status_code == 404


def test_several_members_are_asked_for_at_once(app: Flask, clients: Clients) -> None:
    found = ApiClient(app).get("v1/accounts", **{"id[]": [2, 77, 1]})
    assert [one["username"] for one in found] == ["ben", "ann"]
    assert ApiClient(app).get("v1/accounts") == []


def test_an_empty_time_lets_a_filter_stay_for_good(clients: Clients) -> None:
    ann, _ = clients
    sent = {"title": "gulls", "context[]": ["home"], "expires_in": "3600"}
    made = ann.post("v2/filters", **sent)
    assert made["expires_at"]
    changed = [
        ann.call(f"PUT /api/v2/filters/{made['id']}", data=change).json["expires_at"]
        for change in ({"title": "terns"}, {"expires_in": ""})
    ]
    assert changed == [made["expires_at"], None]


def test_many_readers_are_shown_a_status_in_four_trips(app: Flask, clients: Clients) -> None:
    status = clients[0].post("v1/statuses", status="A gull @ben #birds")
    entry = (int(status["id"]), 1)
    db: Db = app.extensions["linnet.db"]
    readers = [Wanted(uid, (entry,), "home") for uid in (1, 2, *range(3, 203), None)]
    with app.test_request_context():
        before = db.trips
        shown = [found[entry[0]] for found in present_wanted(readers)]
        assert db.trips - before <= 4
    assert len({id(one) for one in shown}) == 3  # the author, those with an account, a visitor


def test_a_filter_has_a_title_and_several_keywords(clients: Clients) -> None:
    ann, ben = clients
    sent = {"title": "Birds", "context[]": "public", "filter_action": "warn"}
    made = ben.post("v2/filters", **sent)
    path = f"v2/filters/{made['id']}"
    assert (made["title"], made["keywords"]) == ("Birds", [])
    gull, tern = (ben.post(f"{path}/keywords", keyword=word) for word in ("gull", "tern"))
    ann.post("v1/statuses", status="Birds")
    ann.post("v1/statuses", status="a tern")
    shown = ben.get("v1/timelines/public")
    assert [len(one["filtered"]) for one in shown] == [1, 0]
    keyword = f"v2/filters/keywords/{tern['id']}"
    assert ben.call(f"PUT /api/{keyword}", data={"keyword": "crow"}).json["keyword"] == "crow"
    assert ben.get(keyword)["keyword"] == "crow" and ben.get(f"{path}/statuses") == []
    rows = [{"id": gull["id"], "_destroy": True}, {"keyword": "swift"}]
    changed = ben.call(f"PUT /api/{path}", json={"title": "More", "keywords_attributes": rows})
    assert changed.json["title"] == "More"
    assert [one["keyword"] for one in changed.json["keywords"]] == ["crow", "swift"]
    for odd in (5, "x", [1], {"0": 3}):
        answer = ben.call(f"PUT /api/{path}", json={"keywords_attributes": odd})
        assert answer.status_code == 200 and len(answer.json["keywords"]) == 2
    for number in [one["id"] for one in changed.json["keywords"]][::-1]:
        assert ann.call(f"DELETE /api/v2/filters/keywords/{number}").status_code == 404
        ben.call(f"DELETE /api/v2/filters/keywords/{number}")
    assert ben.get(path)["title"] == "More" and ben.get(path)["keywords"] == []


def test_only_followers_learn_how_much_a_protected_member_posts(
    app: Flask, clients: Clients
) -> None:
    ann, ben = clients
    post_many(ann, 2)
    ann.call("PATCH /api/v1/accounts/update_credentials", data={"locked": "true"})
    assert ApiClient(app).get("v1/accounts/1")["statuses_count"] == 0
    assert ben.get("v1/accounts/1")["statuses_count"] == 2
    assert ann.get("v1/accounts/1")["statuses_count"] == 2
    ben.post("v1/accounts/1/unfollow")
    assert ben.get("v1/accounts/1")["statuses_count"] == 0


def test_the_directory_has_nobody_whom_the_caller_blocks(clients: Clients) -> None:
    ann, ben = clients
    post_many(ann, 2)
    assert 1 in ids(ben.get("v1/directory", limit=80))
    ben.post("v1/accounts/1/block")
    assert 1 not in ids(ben.get("v1/directory", limit=80))


def test_some_statuses_are_read_at_once(clients: Clients) -> None:
    ann, ben = clients
    first, second = post_many(ann, 2)[::-1]
    private = ids([ann.post("v1/statuses", status="-", visibility="direct")])[0]
    asked = {"id[]": [second, 4242, private, first]}
    assert ids(ben.get("v1/statuses", **asked)) == [second, first]
    assert ben.get("v1/statuses") == []


def test_each_keyword_is_a_whole_word_or_not(clients: Clients) -> None:
    ann, ben = clients
    rows = [{"keyword": "gull", "whole_word": True}, {"keyword": "tern", "whole_word": False}]
    made = ben.call(
        "POST /api/v2/filters",
        json={"title": "", "context": ["public"], "keywords_attributes": rows},
    ).json
    assert [one["whole_word"] for one in made["keywords"]] == [True, False]
    for text in ("gulls", "terns", "a gull"):
        ann.post("v1/statuses", status=text)
    assert [len(one["filtered"]) for one in ben.get("v1/timelines/public")] == [1, 1, 0]
    gull, tern = (one["id"] for one in made["keywords"])
    sent = {"keyword": "gull", "whole_word": "false"}
    assert not ben.call(f"PUT /api/v2/filters/keywords/{gull}", data=sent).json["whole_word"]
    ben.call(f"PUT /api/v1/filters/{tern}", data={"phrase": "tern", "whole_word": "true"})
    path = f"v2/filters/{made['id']}"
    ben.post(f"{path}/keywords", keyword="crow")
    phrases = {one["phrase"]: one["whole_word"] for one in ben.get("v1/filters")}
    assert phrases == {"gull": False, "tern": True, "crow": True}
    ben.call(f"DELETE /api/v1/filters/{gull}")
    left = {one["keyword"]: one["whole_word"] for one in ben.get(f"{path}/keywords")}
    assert left == {"tern": True, "crow": True}
