"""Create a group; add, remove and promote members; leave."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.support.chat_pages import Birds, create_group, send_message
from tests.support.world import Web
from webapp.accounts.renaming import store as renaming
from webapp.chat.ids import direct_id
from webapp.config import Rate

ClientWith = Callable[..., FlaskClient]


def test_group_is_created_with_people_and_a_first_message(birds: Birds) -> None:
    form = {
        "name": "Hedge",
        "topic": "Seeds",
        "people": "@finch, owl",
        "kind": "private",
        "text": "Welcome @finch",
    }
    response = birds.wren.client.post("/chats/new", data=form)
    assert response.status_code == 303
    page = birds.finch.client.get(response.location)
    assert "Hedge" in page.text and "Seeds" in page.text and "3 people" in page.text
    assert 'class="mention mention-me"' in page.text
    assert "Welcome" in birds.finch.client.get("/chats").text
    assert "Hedge" not in birds.owl.client.get("/chats").text, (
        "Owl does not follow Wren and gets a request"
    )
    assert "Hedge" in birds.owl.client.get("/chats/requests").text


def test_resubmitted_group_form_creates_one_group(birds: Birds) -> None:
    form = {"name": "Hedge", "kind": "private", "key": "one-form-sent-twice"}
    assert len({birds.wren.client.post("/chats/new", data=form).location for _ in range(2)}) == 1
    assert birds.wren.client.get("/chats").text.count('class="chat-row"') == 1
    others = [form | changed for changed in ({"people": "@finch"}, {"topic": "Seeds"})]
    chats = {birds.wren.client.post("/chats/new", data=one).location for one in (form, *others)}
    assert len(chats) == 3, "a form that was changed makes another chat"


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name": " "}, "Enter a name for the group chat."),
        ({"name": "x" * 61}, "The limit is 60"),
        ({"topic": "x" * 201}, "The limit is 200"),
        ({"people": "@nobody"}, "Can’t find these members: @nobody"),
        ({"text": "x" * 2001}, "1 character too long"),
        ({"kind": "secret"}, "Not a valid choice"),
    ],
)
def test_invalid_group_form_is_shown_again_with_the_reason(
    form: dict[str, str], sentence: str, birds: Birds
) -> None:
    filled = {"name": "Hedge", "kind": "private", "topic": "Seeds", **form}
    response = birds.wren.client.post("/chats/new", data=filled)
    assert response.status_code == 422 and sentence in response.text
    assert "topic" in form or "Seeds" in response.text


def test_creating_groups_and_adding_people_share_a_rate_limit(client_with: ClientWith) -> None:
    client = client_with(limit_group=Rate(1, 600))
    form = {"name": "Hedge", "kind": "private", "people": "@nobody"}
    invalid = client.post("/chats/new", data={**form, "name": ""})
    assert invalid.status_code == 422, "an invalid form does not count"
    cid = create_group(client)
    # A rate-limited client cannot find out which logins exist.
    for path in ("/chats/new", f"/chats/{cid}/people/add"):
        response = client.post(path, data=form)
        assert response.status_code == 429 and int(response.headers["Retry-After"]) > 0, path
        assert "Can’t find these members" not in response.text, path


def test_owners_add_remove_and_promote_members(birds: Birds, group_id: str) -> None:
    (wren, wren_uid), (finch, finch_uid), (owl, owl_uid) = birds
    added = wren.post(f"/chats/{group_id}/people/add", data={"people": "@owl @wren"})
    assert added.status_code == 303 and "1 person was added." in wren.get(added.location).text
    again = wren.post(f"/chats/{group_id}/people/add", data={"people": "@owl"})
    assert "0 people were added." in wren.get(again.location).text
    nobody = wren.post(f"/chats/{group_id}/people/add", data={"people": "@nobody"})
    assert nobody.status_code == 422 and "@nobody" in nobody.text
    assert finch.post(f"/chats/{group_id}/people/remove", data={"uid": owl_uid}).status_code == 403
    assert wren.post(f"/chats/{group_id}/people/demote", data={"uid": wren_uid}).status_code == 409
    found = wren.post(f"/chats/{group_id}/people/promote", data={"uid": finch_uid}).status_code
    assert found == 303
    assert finch.post(f"/chats/{group_id}/people/remove", data={"uid": owl_uid}).status_code == 303
    assert owl.get(f"/chats/{group_id}").status_code == 404
    for wrong in ("", "x", "0"):
        assert wren.post(f"/chats/{group_id}/people/remove", data={"uid": wrong}).status_code == 404


def test_member_leaves_and_owner_deletes_the_group(birds: Birds, group_id: str) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    assert finch.post(f"/chats/{group_id}/leave").location == "/chats"
    assert finch.get(f"/chats/{group_id}").status_code == 404
    assert wren.post(f"/chats/{group_id}/delete").status_code == 303
    assert wren.get(f"/chats/{group_id}").status_code == 404
    assert "Hedge" not in wren.get("/chats").text
    cid = direct_id(wren_uid, finch_uid)
    send_message(wren, cid, "hello")
    assert wren.post(f"/chats/{cid}/leave").status_code == 403
    assert wren.get(f"/chats/{cid}/people").status_code == 404
    assert wren.get(f"/chats/{cid}/settings").status_code == 404


def test_a_member_who_is_named_by_an_old_and_a_new_username_counts_once(
    web: Web, birds: Birds, group_id: str
) -> None:
    wren, (_, owl_uid) = birds.wren.client, birds.owl
    web.do(renaming.rename, owl_uid, "eagle")
    added = wren.post(f"/chats/{group_id}/people/add", data={"people": "@owl @eagle"})
    assert "1 person was added." in wren.get(added.location).text
