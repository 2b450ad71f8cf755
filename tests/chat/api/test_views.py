"""Chats in the API: create, change, read and delete them."""

from typing import Any

import pytest

from tests.support import worker
from tests.support.chat_api import Pair, assert_error
from webapp.following import store as following


def test_group_is_created_with_members_and_a_first_message(pair: Pair) -> None:
    ann, ben, _ = pair
    following.follow(ann.site, ben.uid, "ann")
    body = {
        "name": "  Night   herons ",
        "topic": "Who flies?",
        "type": "open",
        "history_shared": True,
        "retention": "fetched",
        "members": ["@ben", ben.uid],
        "text": "Hello @ben",
    }
    made = [ann.post("", json=body, key="a-group-key") for _ in range(2)]
    assert [response.status_code for response in made] == [201, 201]
    created = made[0].json
    assert created and made[1].json == created
    assert created["name"] == "Night herons" and created["topic"] == "Who flies?"
    assert (created["type"], created["history_shared"]) == ("open", True)
    assert (created["retention"], created["member_count"]) == ("fetched", 2)
    assert (created["role"], created["last_message_id"]) == ("owner", 1)
    assert ben.get(f"/{created['id']}")["role"] == "member"
    worker.drain(ann.site)
    assert ben.fetch() == {created["id"]: ["Hello @ben"]}
    plain = ann.post("", json={"name": "Plain"}).json
    assert plain and (plain["type"], plain["last_message_id"]) == ("private", 0)


def test_repeated_creation_changes_nothing(pair: Pair) -> None:
    ann, _, _ = pair
    body = {"name": "Herons", "retention": "fetched"}
    path = f"/{ann.post('', json=body, key='a-group-key').json['id']}"
    ann.call("PATCH", path, json={"retention": "history"})
    assert ann.post("", json=body, key="a-group-key").json["retention"] == "history"


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"name": None}, 422, "bad_name"),
        ({"name": " "}, 422, "bad_name"),
        ({"name": "x" * 61}, 422, "bad_name"),
        ({"name": 5}, 422, "bad_name"),
        ({"topic": ["x"]}, 422, "bad_topic"),
        ({"type": "direct"}, 422, "bad_type"),
        ({"type": {}}, 422, "bad_type"),
        ({"history_shared": 1}, 422, "bad_history_shared"),
        ({"history_shared": "maybe"}, 422, "bad_history_shared"),
        ({"retention": "for ever"}, 422, "bad_retention"),
    ],
)
def test_invalid_settings_are_refused_with_a_reason(
    changes: dict[str, Any], status: int, code: str, shared_pair: Pair
) -> None:
    ann, _, cid = shared_pair
    created = ann.post("", json={"name": "Larks", **changes})
    assert_error(created, status, code)
    changed = ann.call("PATCH", f"/{cid}", json=changes)
    assert_error(changed, status, code)
    assert created.json and created.json["message"] == (changed.json or {})["message"]
    assert len(ann.get()["chats"]) == 1


@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ("ben", 422, "bad_members"),
        ([True], 422, "bad_members"),
        ([1.5], 422, "bad_members"),
        ([None], 422, "bad_members"),
        ([-1], 422, "bad_members"),
        (list(range(1, 1_000)), 422, "bad_members"),
        (["@nobody"], 404, "no_member"),
        (["not a name"], 404, "no_member"),
        ([999], 404, "no_member"),
    ],
)
def test_group_needs_members_that_exist(
    members: Any, status: int, code: str, shared_pair: Pair
) -> None:
    ann, *_ = shared_pair
    assert_error(ann.post("", json={"name": "Larks", "members": members}), status, code)
    assert_error(ann.post("", json={"members": ["ben"]}), 422, "bad_name")
    assert_error(ann.post("", json={"name": "＠ admin"}), 422, "bad_name")


def test_owner_changes_a_group(pair: Pair) -> None:
    ann, ben, cid = pair
    changes = {"name": "Finches", "topic": "Seeds", "type": "announcement", "retention": "fetched"}
    changed = ann.call("PATCH", f"/{cid}", json={**changes, "history_shared": True})
    assert changed.status_code == 200 and changed.json == ann.get(f"/{cid}")
    assert {name: changed.json[name] for name in changes} == changes
    assert changed.json["history_shared"] is True
    assert ann.call("PATCH", f"/{cid}", data={"history_shared": "false"}).json
    assert ben.get(f"/{cid}")["history_shared"] is False and ben.get(f"/{cid}")["name"] == "Finches"
    assert_error(ann.call("PATCH", f"/{cid}", json={}), 422, "no_changes")
    assert_error(ben.call("PATCH", f"/{cid}", json={"name": "Mine"}), 403, "only_owners")
    assert_error(ben.call("DELETE", f"/{cid}"), 403, "only_owners")
    assert_error(ben.post(f"/{cid}/messages", json={"text": "hi"}), 403, "only_owners")


def test_owner_deletes_a_group(pair: Pair) -> None:
    ann, ben, cid = pair
    assert ann.call("DELETE", f"/{cid}").status_code == 204
    for caller in (ann, ben):
        assert_error(caller.send_get(f"/{cid}"), 404, "no_chat")
        assert_error(caller.call("DELETE", f"/{cid}"), 404, "no_chat")


def test_chat_is_marked_as_read(pair: Pair) -> None:
    ann, ben, cid = pair
    for text in "abc":
        ann.send_message(cid, text)
    ben.post(f"/{cid}/messages", json={"text": "not read yet"})

    def unread() -> int:
        [row] = [row for row in ben.get()["chats"] if row["id"] == cid]
        return int(row["unread_count"])

    following.follow(ann.site, ben.uid, "ann")
    assert unread() == 3
    assert ben.post(f"/{cid}/read", json={"message_id": 2}).status_code == 204
    assert unread() == 1 and ben.get(f"/{cid}")["last_read_id"] == 2
    assert ben.post(f"/{cid}/read", data={"message_id": "1"}).status_code == 204  # never back
    assert unread() == 1
    assert ben.post(f"/{cid}/read").status_code == 204
    assert unread() == 0 and ben.get(f"/{cid}")["last_read_id"] == 4
    for wrong in (0, "x", True, [1], 1.5):
        response = ben.post(f"/{cid}/read", json={"message_id": wrong})
        assert_error(response, 422, "bad_message_id")
