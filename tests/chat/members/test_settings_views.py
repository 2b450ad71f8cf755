"""The settings of a group, and the kinds it may have."""

import io
import re
from dataclasses import replace

from tests.support.chat import group
from tests.support.chat_pages import Birds, create_group, message_texts, png_file, send_message
from tests.support.quadrants import corners, quadrants
from tests.support.world import Web, World
from webapp.chat.members import group_chats
from webapp.core.media import storage as media


def test_only_owners_change_the_group_settings(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    form = {
        "name": "Thicket",
        "topic": "Thorns",
        "kind": "open",
        "retention": "history",
        "shared": "y",
    }
    assert finch.get(f"/chats/{group_id}/settings").status_code == 403
    assert finch.post(f"/chats/{group_id}/settings", data=form).status_code == 403
    assert wren.post(f"/chats/{group_id}/settings", data={**form, "name": ""}).status_code == 422
    files = {**form, "picture": (png_file(), "x.png")}
    response = wren.post(
        f"/chats/{group_id}/settings", data=files, content_type="multipart/form-data"
    )
    assert response.status_code == 303
    page = finch.get(f"/chats/{group_id}").text
    picture = re.search(rf'src="(/chats/{group_id}/pictures/[0-9a-f]{{32}}\.webp)"', page)
    assert "Thicket" in page and "Thorns" in page and picture
    for client in (finch, birds.owl.client):  # anybody may join, so anybody may see it
        assert client.get(picture[1]).status_code == 200
    broken = {**form, "picture": (io.BytesIO(b"x"), "x.png")}
    refused = wren.post(
        f"/chats/{group_id}/settings", data=broken, content_type="multipart/form-data"
    )
    assert refused.status_code == 422 and 'id="picture-error"' in refused.text
    wren.post(f"/chats/{group_id}/settings", data={**form, "remove_picture": "y"})
    assert picture[1] not in finch.get(f"/chats/{group_id}").text
    assert finch.get(picture[1]).status_code == 404


def test_an_owner_chooses_the_part_of_the_picture_to_keep(birds: Birds, group_id: str) -> None:
    form = {"name": "Thicket", "kind": "open", "retention": "history"}
    part = {"picture": (quadrants(), "x.png"), "picture_zoom": "200", "picture_x": "100"}
    address = f"/chats/{group_id}/settings"
    answer = birds.wren.client.post(address, data=form | part, content_type="multipart/form-data")
    assert answer.status_code == 303
    page = birds.finch.client.get(f"/chats/{group_id}").text
    [path] = set(re.findall(rf'src="(/chats/{group_id}/pictures/[^"]+)"', page))
    assert corners(birds.finch.client.get(path).data) == "ggww"


def test_only_owners_write_in_an_announcement_group(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    form = {"name": "Hedge", "kind": "announcement", "retention": "history"}
    wren.post(f"/chats/{group_id}/settings", data=form)
    send_message(wren, group_id, "news")
    page = finch.get(f"/chats/{group_id}")
    assert message_texts(page) == ["news"]
    assert "Only owners can send messages here." in page.text and 'name="text"' not in page.text
    assert send_message(finch, group_id, "me too").status_code == 403
    assert 'name="people"' not in finch.get(f"/chats/{group_id}/people").text


def test_a_picture_that_is_chosen_again_stays(world: World) -> None:
    [ann] = world.people("ann")
    cid = group(world, ann)
    for colour in ("#b45", "#040", "#b45"):
        name = media.save_chat_avatar(world.config, cid, png_file(colour=colour))
        group_chats.change(world, ann, cid, picture=name)
    world.apply_events()  # of all three, as after a worker's pause
    assert [file.stem for file in world.config.media_path.rglob("*.webp")] == [name[-32:]]


def test_a_picture_whose_settings_are_refused_is_not_kept(web: Web, birds: Birds) -> None:
    wren, cid = birds.wren.client, create_group(birds.wren.client)
    form = {"name": "Thicket", "kind": "open", "retention": "history"}
    pictures = {"picture": (png_file(), "x.png")}
    web.app.extensions["linnet.config"] = replace(web.config, outbox_max=0)
    options = {"content_type": "multipart/form-data"}
    assert wren.post(f"/chats/{cid}/settings", data=form | pictures, **options).status_code == 503
    assert send_message(wren, cid, "", pictures=(png_file(), "x.png")).status_code == 503
    assert not list(web.config.media_path.rglob("*.webp"))
