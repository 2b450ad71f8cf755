"""Invitation links and joining open groups."""

import re

from flask.testing import FlaskClient

from tests.support.chat_pages import Birds, create_group, png_file, send_message


def test_anybody_may_join_an_open_group(birds: Birds, group_id: str) -> None:
    wren, owl = birds.wren.client, birds.owl.client
    assert owl.post(f"/chats/{group_id}/join").status_code == 404
    form = {"name": "Hedge", "kind": "open", "retention": "history"}
    wren.post(f"/chats/{group_id}/settings", data=form)
    page = owl.get(f"/chats/{group_id}")
    assert page.status_code == 200 and "Join group" in page.text
    assert owl.post(f"/chats/{group_id}/join").location == f"/chats/{group_id}"
    assert send_message(owl, group_id, "hello").status_code == 303


def test_invitation_link_works_until_it_is_used_up(birds: Birds, group_id: str) -> None:
    wren, owl = birds.wren.client, birds.owl.client
    response = wren.post(f"/chats/{group_id}/invites", data={"uses": "1", "hours": "24"})
    assert response.status_code == 201
    link = re.search(r"<code>http://localhost(/chats/join/[^<]+)</code>", response.text)
    assert link and "1 use left" in response.text
    assert link[1] not in wren.get(f"/chats/{group_id}/people").text
    offer = owl.get(link[1])
    assert offer.status_code == 200 and "Hedge" in offer.text
    assert owl.post(link[1]).location == f"/chats/{group_id}"
    assert owl.get(f"/chats/{group_id}").status_code == 200
    used = wren.get(link[1])
    assert used.status_code == 403 and "no longer valid" in used.text
    for wrong in ("x", "1.", "1.x", f"{group_id}.x", "..", "1.x.y"):
        assert owl.get(f"/chats/join/{wrong}").status_code == 403, wrong
    for uses, hours in (("0", "24"), ("x", "24"), ("1", "5")):
        form = {"uses": uses, "hours": hours}
        assert wren.post(f"/chats/{group_id}/invites", data=form).status_code == 422


def create_invite(client: FlaskClient, cid: str, uses: str) -> str:
    """Create an invitation link through the form and return its path."""
    response = client.post(f"/chats/{cid}/invites", data={"uses": uses, "hours": "24"})
    link = re.search(r"(/chats/join/[^<]+)</code>", response.text)
    assert link
    return link[1]


def test_joining_accepts_a_pending_invitation(birds: Birds) -> None:
    wren, owl = birds.wren.client, birds.owl.client
    for kind in ("private", "open"):
        cid = create_group(wren, name="Thicket", kind=kind)
        link = create_invite(wren, cid, uses="1")
        wren.post(f"/chats/{cid}/people/add", data={"people": "owl"})
        assert "Accept" in owl.get(f"/chats/{cid}").text
        path = link if kind == "private" else f"/chats/{cid}/join"
        assert owl.post(path).status_code == 303
        assert "Accept" not in owl.get(f"/chats/{cid}").text
        assert f"/chats/{cid}" in owl.get("/chats").text


def test_join_page_shows_the_picture_of_open_groups_only(birds: Birds, group_id: str) -> None:
    wren, owl = birds.wren.client, birds.owl.client
    link = create_invite(wren, group_id, uses="5")
    for kind in ("private", "open"):
        form = {
            "name": "Hedge",
            "kind": kind,
            "retention": "history",
            "picture": (png_file(), "x.png"),
        }
        wren.post(f"/chats/{group_id}/settings", data=form, content_type="multipart/form-data")
        for path in (link, f"/chats/{group_id}"):
            page = owl.get(path)
            picture = re.search(rf'src="(/chats/{group_id}/pictures/[^"]+)"', page.text)
            assert bool(picture) == (kind == "open"), path
            assert picture is None or owl.get(picture[1]).status_code == 200
    send_message(wren, group_id, "", pictures=(png_file(), "x.png"))
    inside = re.search(r'src="(/chats/\d+/pictures/1-[^"]+)"', wren.get(f"/chats/{group_id}").text)
    assert inside and owl.get(inside[1]).status_code == 404


def test_revoked_invitation_link_is_refused(birds: Birds, group_id: str) -> None:
    wren, finch, owl = birds.wren.client, birds.finch.client, birds.owl.client
    page = wren.post(f"/chats/{group_id}/invites", data={"uses": "5", "hours": "1"}).text
    link = re.search(r"(/chats/join/[^<]+)</code>", page)
    revoke = re.search(r'action="([^"]+/revoke)"', page)
    assert link and revoke and finch.post(revoke[1]).status_code == 403
    assert "Invitation revoked." in wren.post(revoke[1], follow_redirects=True).text
    assert owl.get(link[1]).status_code == 403 and owl.post(link[1]).status_code == 403
