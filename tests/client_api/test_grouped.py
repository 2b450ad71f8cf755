"""Notifications in groups, what counts as seen, and from whom members want any."""

from typing import Any

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, connected
from tests.support.worker import drain
from webapp.community.groups import store as groups
from webapp.community.groups.invitations import store as invitations
from webapp.community.groups.models import Voting
from webapp.core.web.context import site_of
from webapp.notifications import store
from webapp.notifications.kinds import FOLLOWED
from webapp.statuses.visibility.groups import GroupKind

PATH = "v2/notifications"


@pytest.fixture
def clients(app: Flask, member: SignUp) -> tuple[ApiClient, ApiClient, ApiClient]:
    """The apps of ann, ben and cid. Both like ann's post and follow her; ben mentions her."""
    ann, ben, cid = (connected(app, member(login)) for login in ("ann", "ben", "cid"))
    made = ann.post("v1/statuses", status="hm")
    for client in (ben, cid):
        client.post(f"v1/statuses/{made['id']}/favourite")
        client.post("v1/accounts/1/follow")
    ben.post("v1/statuses", status="hello @ann")
    return ann, ben, cid


def keys(answer: Any) -> list[tuple[str, int]]:
    """Return the types of groups, and how many notifications are in each."""
    return [(one["type"], one["notifications_count"]) for one in answer["notification_groups"]]


def test_groups_name_their_members_and_statuses(clients: tuple[ApiClient, ...]) -> None:
    ann, *_ = clients
    found = ann.get(PATH)
    assert keys(found) == [("mention", 1), ("follow", 2), ("favourite", 2)]
    mention, follow, liked = found["notification_groups"]
    assert {one["id"] for one in found["accounts"]} == {"2", "3"}
    assert {one["id"] for one in found["statuses"]} == {mention["status_id"], liked["status_id"]}
    assert liked["sample_account_ids"] == ["3", "2"] and "status_id" not in follow
    assert liked["group_key"] == f"favourite-{liked['status_id']}"
    singles = ann.get("v1/notifications")
    assert {one["group_key"] for one in singles} == {
        one["group_key"] for one in found["notification_groups"]
    }
    numbers = [int(one["id"]) for one in singles if one["type"] == "favourite"]
    assert liked["most_recent_notification_id"] == numbers[0]
    assert liked["page_max_id"] == liked["page_min_id"] == str(numbers[0]), "where the page ends"
    assert mention["group_key"] == f"ungrouped-{mention['most_recent_notification_id']}"


def test_groups_are_chosen_and_paged(clients: tuple[ApiClient, ...]) -> None:
    ann, *_ = clients
    first = ann.call(f"GET /api/{PATH}?limit=2")
    assert keys(first.json) == [("mention", 1), ("follow", 2)]
    following = first.headers["Link"].partition(">")[0].partition("/api/")[2]
    assert keys(ann.get(following)) == [("favourite", 2)]
    newest = ann.get(PATH)["notification_groups"][0]["most_recent_notification_id"]
    assert keys(ann.get(PATH, since_id=newest)) == []
    assert keys(ann.get(PATH, min_id=1, limit=1)) == [("favourite", 2)]
    assert keys(ann.get(PATH, **{"types[]": "follow"})) == [("follow", 2)]
    others = ann.get(PATH, **{"exclude_types[]": ["follow", "mention"]}, account_id=2)
    assert keys(others) == [("favourite", 1)]
    apart = ann.get(PATH, **{"grouped_types[]": "favourite"})
    assert keys(apart) == [("mention", 1), ("follow", 1), ("favourite", 2), ("follow", 1)]


def test_members_may_be_told_by_their_pictures(clients: tuple[ApiClient, ...]) -> None:
    ann, *_ = clients
    found = ann.get(PATH, expand_accounts="partial_avatars", **{"types[]": "favourite"})
    assert [one["id"] for one in found["accounts"]] == ["3"]
    [partial] = found["partial_accounts"]
    assert partial["id"] == "2" and partial["avatar"].endswith(".png") and "note" not in partial
    assert ann.call(f"GET /api/{PATH}?expand_accounts=some").status_code == 422


def test_one_group_is_shown_listed_and_dismissed(clients: tuple[ApiClient, ...]) -> None:
    ann, ben, _ = clients
    key = ann.get(PATH)["notification_groups"][2]["group_key"]
    assert keys(ann.get(f"{PATH}/{key}")) == [("favourite", 2)]
    assert [one["acct"] for one in ann.get(f"{PATH}/{key}/accounts")] == ["cid", "ben"]
    assert ben.call(f"GET /api/{PATH}/{key}").status_code == 404
    ben.post(f"{PATH}/{key}/dismiss")
    assert ann.post(f"{PATH}/{key}/dismiss") == {}
    assert ann.call(f"GET /api/{PATH}/{key}").status_code == 404
    assert keys(ann.get(PATH)) == [("mention", 1), ("follow", 2)]


def test_what_lies_below_the_marker_counts_as_seen(clients: tuple[ApiClient, ...]) -> None:
    ann, *_ = clients
    assert ann.get("v1/notifications/unread_count") == {"count": 5}
    assert ann.get(f"{PATH}/unread_count") == {"count": 3}
    assert ann.get(f"{PATH}/unread_count", limit=2) == {"count": 2}
    newest, second, *_ = ann.get("v1/notifications")
    ann.post("v1/markers", **{"notifications[last_read_id]": second["id"]})
    assert ann.get("v1/notifications/unread_count") == {"count": 1}
    assert ann.get(f"{PATH}/unread_count", **{"types[]": "follow"}) == {"count": 0}
    ann.post("v1/markers", **{"notifications[last_read_id]": newest["id"]})
    assert ann.get(f"{PATH}/unread_count") == {"count": 0}


def test_what_a_filter_hides_is_left_out(clients: tuple[ApiClient, ...]) -> None:
    ann, ben, _ = clients
    ben.post("v1/statuses", status="a spoiler for @ann")
    fields = {"title": "s", "context[]": "notifications", "filter_action": "hide"}
    ann.post("v2/filters", **fields, **{"keywords_attributes[0][keyword]": "spoiler"})
    assert keys(ann.get(PATH)) == [("mention", 1), ("follow", 2), ("favourite", 2)]
    assert len(ann.get("v1/notifications")) == 5


def test_strangers_may_be_kept_from_notifying(clients: tuple[ApiClient, ...]) -> None:
    ann, ben, _ = clients
    policy = "v2/notifications/policy"
    assert ann.get(policy)["for_not_following"] == "accept"
    assert ann.call(f"PATCH /api/{policy}", data={"for_not_following": "filter"}).json == (
        ann.get(policy)
    )
    dropped = ann.call(f"PATCH /api/{policy}", json={"for_not_following": "drop"}).json
    assert dropped["for_not_following"] == "drop" and dropped["for_new_accounts"] == "accept"
    assert ann.get("v1/notifications/policy")["filter_not_following"] is True
    ben.post("v1/statuses", status="again @ann")
    assert keys(ann.get(PATH))[0] == ("mention", 1)
    form = {"filter_not_following": "false", "filter_new_accounts": "true"}
    older = ann.call("PUT /api/v1/notifications/policy", data=form).json
    assert older["filter_not_following"] is False and older["filter_new_accounts"] is False
    assert ann.get(policy)["for_not_following"] == "accept"
    ben.post("v1/statuses", status="and again @ann")
    assert len(ann.get("v1/notifications", **{"types[]": "mention"})) == 2
    assert ann.call(f"PATCH /api/{policy}", data={"for_not_following": "x"}).status_code == 422
    assert ann.get("v1/notifications/requests") == []
    assert ann.get("v1/notifications/requests/merged") == {"merged": True}


def test_an_exception_for_some_kinds_stays_when_an_app_sends_the_choice_that_holds(
    app: Flask, clients: tuple[ApiClient, ...]
) -> None:
    db = site_of(app).db
    store.set_preferences(db, 1, {"like": FOLLOWED})
    policy = {"for_not_following": "accept"}
    clients[0].call("PATCH /api/v2/notifications/policy", json=policy)
    assert db.read(store.preferences(1))["like"] == FOLLOWED


def test_a_notification_that_apps_do_not_list_is_not_found(
    app: Flask, clients: tuple[ApiClient, ...]
) -> None:
    ann, *_ = clients
    site = site_of(app)
    gid = groups.create(site, 2, "birds", "Birds", "", GroupKind.OPEN, Voting.OFF)
    invitations.invite(site, 2, gid, ["ann"])
    drain(site)
    [invited] = [one for one in site.db.read(store.entries_of(1)) if one.kind.name == "invited"]
    liked = ann.get("v1/notifications")[-1]["id"]
    ann.post("v1/accounts/2/mute")
    for number in (invited.created_us, liked):
        assert ann.call(f"GET /api/v1/notifications/{number}").status_code == 404
        assert ann.call(f"POST /api/v1/notifications/{number}/dismiss").status_code == 404
