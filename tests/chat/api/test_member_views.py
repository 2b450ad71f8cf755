"""Members in the API: who belongs to a chat, and in what role."""

from tests.support import chat
from tests.support.chat_api import Caller, Pair, assert_error
from webapp.chat.members import invitations
from webapp.following.blocks import store as blocks


def roles(caller: Caller, cid: str) -> dict[str, str]:
    """Return the members of a chat as a caller sees them."""
    return {one["username"]: one["role"] for one in caller.get(f"/{cid}/members")["members"]}


def test_members_are_listed_with_their_roles(pair: Pair) -> None:
    ann, ben, cid = pair
    [first, second] = ben.get(f"/{cid}/members")["members"]
    assert (first["id"], first["display_name"], first["role"]) == (ann.uid, "Ann", "owner")
    assert (second["username"], second["bot"], second["role"]) == ("ben", False, "member")
    assert first["joined_at"].endswith("Z")
    direct = f"{ann.uid}-{ben.uid}"
    ann.send_message(direct, "hello")
    assert roles(ben, direct) == {"ann": "member", "ben": "member"}


def test_owner_adds_promotes_demotes_and_removes(pair: Pair, dot: Caller) -> None:
    ann, _, cid = pair
    for name in (str(dot.uid), "@dot", "@DOT"):  # again changes nothing
        assert ann.call("PUT", f"/{cid}/members/{name}").status_code == 204
    assert roles(dot, cid) == {"ann": "owner", "ben": "member", "dot": "member"}
    path = f"/{cid}/members/@dot"
    assert ann.call("PUT", path, json={"role": "owner"}).status_code == 204
    assert roles(ann, cid)["dot"] == "owner"
    assert ann.call("PUT", path, json={"role": "member"}).status_code == 204
    assert roles(ann, cid)["dot"] == "member"
    assert_error(ann.call("PUT", path, json={"role": "king"}), 422, "bad_role")
    assert_error(ann.call("PUT", path, json={"role": ["owner"]}), 422, "bad_role")
    own = f"/{cid}/members/{ann.uid}"
    assert_error(ann.call("PUT", own, json={"role": "member"}), 409, "last_owner")
    for _ in range(2):
        assert ann.call("DELETE", path).status_code == 204
    assert roles(ann, cid) == {"ann": "owner", "ben": "member"}
    assert_error(dot.send_get(f"/{cid}/members"), 404, "no_chat")


def test_new_member_may_be_added_as_an_owner(pair: Pair, dot: Caller) -> None:
    ann, ben, cid = pair
    path = f"/{cid}/members/{dot.uid}"
    assert_error(ben.call("PUT", path, json={"role": "owner"}), 403, "only_owners")
    assert "dot" not in roles(ann, cid)
    assert ann.call("PUT", path, json={"role": "owner"}).status_code == 204
    assert roles(ben, cid)["dot"] == "owner"


def test_plain_member_may_add_but_not_remove(pair: Pair, dot: Caller) -> None:
    ann, ben, cid = pair
    assert ben.call("PUT", f"/{cid}/members/{dot.uid}").status_code == 204
    assert_error(ben.call("DELETE", f"/{cid}/members/{dot.uid}"), 403, "only_owners")
    for wrong in ("0", "x", "@", "999", "@nobody", "-1"):
        assert_error(ann.call("PUT", f"/{cid}/members/{wrong}"), 404, "no_member")
    blocks.block(ann.site, dot.uid, "ann")
    ann.call("DELETE", f"/{cid}/members/{dot.uid}")
    refused = ann.call("PUT", f"/{cid}/members/{dot.uid}")
    assert_error(refused, 403, "cannot_write_them")


def test_bot_is_added_and_acts_as_a_member(pair: Pair, jay: Caller) -> None:
    ann, ben, cid = pair
    assert ben.call("PUT", f"/{cid}/members/@jay").status_code == 204
    assert roles(jay, cid)["jay"] == "member"
    assert jay.call("POST", f"/{cid}/leave").status_code == 204
    assert "jay" not in roles(ann, cid)


def test_open_group_is_joined_and_left(pair: Pair, dot: Caller) -> None:
    ann, _, cid = pair
    pond = chat.group(ann.site, ann.uid, kind="open")
    for _ in range(2):
        assert dot.call("POST", f"/{pond}/join").status_code == 204
    assert roles(dot, pond) == {"ann": "owner", "dot": "member"}
    assert dot.call("POST", f"/{pond}/leave").status_code == 204
    assert_error(dot.call("POST", f"/{pond}/leave"), 403, "not_in_chat")
    for closed in (cid, "999"):
        assert_error(dot.call("POST", f"/{closed}/join"), 404, "no_chat")
        assert_error(dot.call("POST", f"/{closed}/leave"), 404, "no_chat")


def test_invitation_opens_its_group_only(pair: Pair, dot: Caller) -> None:
    ann, _, cid = pair
    other = chat.group(ann.site, ann.uid)
    token = invitations.create(ann.site, ann.uid, cid, 1, 1)
    for body, status in (({"invitation": "x"}, 403), ({"invitation": f"{cid}.guess"}, 403)):
        assert dot.call("POST", f"/{cid}/join", json=body).status_code == status
    link = {"invitation": f"https://site.example/chats/join/{token}"}
    assert_error(dot.call("POST", f"/{other}/join", json=link), 403, "chat_invite_bad")
    assert_error(dot.call("POST", f"/{cid}/join", json={"invitation": 5}), 422, "bad_invitation")
    assert dot.call("POST", f"/{cid}/join", json=link).status_code == 204
    assert roles(dot, cid)["dot"] == "member"


def test_direct_chat_has_no_membership_to_change(pair: Pair, dot: Caller) -> None:
    ann, ben, _ = pair
    direct = f"{ann.uid}-{ben.uid}"
    ann.send_message(direct, "hello")
    assert_error(ann.call("POST", f"/{direct}/leave"), 403, "not_a_group")
    assert_error(ann.call("PUT", f"/{direct}/members/{dot.uid}"), 404, "no_chat")
    assert_error(ann.call("DELETE", f"/{direct}/members/{ben.uid}"), 404, "no_chat")
    assert_error(dot.call("POST", f"/{direct}/join"), 404, "no_chat")
