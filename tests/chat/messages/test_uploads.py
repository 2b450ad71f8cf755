"""Pictures in messages: what is stored, and who may load it."""

import io
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from tests.support.animations import animation
from tests.support.chat_pages import Birds, create_group, message_texts, png_file, send_message
from tests.support.world import Web
from webapp.chat.ids import direct_id
from webapp.chat.keys import chat_partition
from webapp.chat.messages import sending
from webapp.config import Config, Rate
from webapp.statuses.attachments import keys as attachment_keys, staging

ClientWith = Callable[..., FlaskClient]


def test_picture_keeps_its_proportions_and_is_served_to_members_only(
    birds: Birds, group_id: str, web: Web
) -> None:
    wren, finch, owl = birds.wren.client, birds.finch.client, birds.owl.client
    response = send_message(
        wren, group_id, "", pictures=(png_file((3200, 800)), "x.png"), alt="A hedge\nat dawn"
    )
    assert response.status_code == 303
    page = finch.get(f"/chats/{group_id}").text
    tag = re.search(
        r'<img src="(/chats/\d+/pictures/1-[0-9a-f]{32}\.webp)"'
        r' width="(\d+)" height="(\d+)" alt="(.+?)"',
        page,
    )
    assert tag
    path, width, height, alt = tag.groups()
    assert alt == "A hedge at dawn" and int(width) == 4 * int(height)
    file = finch.get(path)
    assert file.content_type == "image/webp" and "private" in file.headers["Cache-Control"]
    assert Image.open(io.BytesIO(file.data)).size == (1600, 400)
    assert owl.get(path).status_code == 404 and web.client.get(path).status_code == 303
    name = path.rpartition("/")[2].partition("-")[2]
    for folder in ("chat", f"chat/{group_id}", group_id):
        assert web.client.get(f"/media/{folder}/{name}").status_code == 404
    for other in (
        f"2-{name}",
        f"1-{'0' * 32}.webp",
        name,
        f"1-{name}.png",
        f"1-../{name}",
        "1-.webp",
        "x-y.webp",
    ):
        assert finch.get(f"/chats/{group_id}/pictures/{other}").status_code == 404, other
    wren.post(f"/chats/{group_id}/messages/1/delete")
    assert finch.get(path).status_code == 404
    assert not list((web.config.media_path / "chat").rglob("*.webp"))


def test_newcomer_cannot_load_earlier_pictures(birds: Birds, group_id: str) -> None:
    wren, owl = birds.wren.client, birds.owl.client
    send_message(wren, group_id, "", pictures=(png_file(), "x.png"))
    path = re.search(r'src="(/chats/\d+/pictures/[^"]+)"', wren.get(f"/chats/{group_id}").text)
    assert path
    added = wren.post(f"/chats/{group_id}/people/add", data={"people": "owl"})
    assert added.status_code == 303
    send_message(wren, group_id, "welcome")
    assert message_texts(owl.get(f"/chats/{group_id}")) == ["welcome"]
    assert owl.get(path[1]).status_code == 404 and wren.get(path[1]).status_code == 200


def test_refused_and_repeated_pictures_are_not_stored(
    birds: Birds, group_id: str, settings: Config
) -> None:
    wren, owl = birds.wren.client, birds.owl.client

    def stored() -> list[Path]:
        return list(settings.media_path.rglob("chat/**/*.webp"))

    broken = send_message(wren, group_id, "look", pictures=(io.BytesIO(b"no picture"), "x.png"))
    assert broken.status_code == 422
    assert "We can’t read that picture." in broken.text and "look" in broken.text
    many = send_message(
        wren,
        group_id,
        "",
        pictures=[(png_file(colour=f"#{number}00"), "x.png") for number in range(5)],
    )
    assert many.status_code == 422 and "at most 4 pictures" in many.text
    half = send_message(
        wren, group_id, "", pictures=[(png_file(), "x.png"), (io.BytesIO(b"x"), "y.png")]
    )
    assert half.status_code == 422
    assert send_message(owl, group_id, "", pictures=(png_file(), "x.png")).status_code == 404
    found = send_message(wren, group_id, "x" * 2001, pictures=(png_file(), "x.png")).status_code
    assert found == 422
    assert stored() == [] and message_texts(wren.get(f"/chats/{group_id}")) == []

    def send(pictures: object) -> TestResponse:
        return send_message(wren, group_id, "", pictures=pictures, key="the-same-form")

    for _ in range(2):
        four = [(png_file(colour=f"#{number}00"), "x.png") for number in range(4)]
        assert send(four).location.endswith("#m1")
    assert len(stored()) == 4
    assert send((png_file(colour="#0a0"), "x.png")).location.endswith("#m2")
    assert len(stored()) == 5
    half_broken = [(png_file(colour="#000"), "x.png"), (io.BytesIO(b"x"), "y.png")]
    assert send(half_broken).status_code == 422
    assert len(stored()) == 5


def test_pictures_of_a_process_that_died_are_removed(
    birds: Birds, group_id: str, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    wren, partition = birds.wren.client, chat_partition(group_id)
    key = attachment_keys.uploads(partition)

    def stored() -> int:
        return len(list(web.config.media_path.rglob("chat/**/*.webp")))

    def remove_stale() -> None:
        for name in web.db.run(("ZRANGE", key, 0, -1)):
            web.db.run(("ZADD", key, 1, name))
        staging.remove_stale(web, partition)

    send_message(wren, group_id, "sent", pictures=(png_file(), "x.png"))
    with monkeypatch.context() as dying:
        dying.setattr(sending, "send", Mock(side_effect=KeyboardInterrupt))
        with suppress(KeyboardInterrupt):
            send_message(wren, group_id, "lost", pictures=(png_file(), "x.png"))
    assert stored() == 2
    remove_stale()
    assert stored() == 1 and web.db.run(("ZCARD", key)) == 0

    def send_late(*args: Any) -> int:
        web.db.run(("ZADD", key, 0, *web.db.run(("ZRANGE", key, 0, -1))))
        return sent(*args)

    sent = sending.send
    monkeypatch.setattr(sending, "send", send_late)
    late = send_message(wren, group_id, "late", pictures=(png_file(), "x.png"))
    assert "Some pictures are gone." in late.text
    assert message_texts(wren.get(f"/chats/{group_id}")) == ["sent"]


def test_pictures_of_forbidden_messages_are_not_stored(
    birds: Birds, group_id: str, web: Web
) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    cid = direct_id(wren_uid, finch_uid)
    web.block(wren_uid, "finch")
    form = {"name": "Hedge", "kind": "announcement", "retention": "history"}
    wren.post(f"/chats/{group_id}/settings", data=form)
    for chat in (cid, group_id):
        refused = send_message(finch, chat, "look", pictures=(png_file(), "x.png"))
        assert refused.status_code == 403, chat
    assert not list(web.config.media_path.rglob("chat/**/*.webp"))


def test_pictures_have_their_own_rate_limit(client_with: ClientWith) -> None:
    client = client_with(limit_pictures=Rate(1, 600))
    cid = create_group(client)
    assert send_message(client, cid, "", pictures=(png_file(), "x.png")).status_code == 303
    response = send_message(client, cid, "two of two", pictures=(png_file(), "x.png"))
    assert response.status_code == 429 and "two of two" in response.text
    assert int(response.headers["Retry-After"]) > 0
    assert send_message(client, cid, "words alone").status_code == 303


def alts(page: TestResponse) -> list[str]:
    return re.findall(r'<img\s+src="/chats/\d+/pictures/[^>]*\s+alt="([^"]*)"\s+load', page.text)


def test_the_author_changes_the_description_of_a_picture_with_the_text_or_alone(
    birds: Birds, group_id: str
) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(wren, group_id, "", pictures=(png_file(), "x.png"), alt="A hedge")
    edit = f"/chats/{group_id}/messages/1/edit"
    form = wren.get(f"/chats/{group_id}?edit=1").text
    assert re.findall(r'name="alt"[^>]*>([^<]*)</textarea>', form) == ["A hedge"]
    assert wren.post(edit, data={"text": "", "alt": "A hedge\nat dawn"}).status_code == 303
    page = finch.get(f"/chats/{group_id}")
    assert alts(page) == ["A hedge at dawn"] and ">edited<" not in page.text
    assert wren.post(edit, data={"text": "look", "alt": "Dawn"}).status_code == 303
    page = finch.get(f"/chats/{group_id}")
    assert (message_texts(page), alts(page)) == (["look"], ["Dawn"]) and ">edited<" in page.text
    assert wren.post(edit, data={"text": "look", "alt": ""}).status_code == 303
    page = finch.get(f"/chats/{group_id}")
    assert alts(page) == ["Picture without a description"] and ">edited<" in page.text
    assert finch.post(edit, data={"text": "look", "alt": "mine"}).status_code == 403
    assert wren.post(edit, data={"text": "look", "alt": ["one", "two"]}).status_code == 303
    assert alts(finch.get(f"/chats/{group_id}")) == ["Picture without a description"]
    # Words alone cannot be taken away by claiming that there is a picture.
    send_message(wren, group_id, "words")
    emptied = wren.post(f"/chats/{group_id}/messages/2/edit", data={"text": "", "alt": "x"})
    assert emptied.status_code == 400 and "Write something first." in emptied.text
    assert message_texts(finch.get(f"/chats/{group_id}")) == ["look", "words"]


def test_descriptions_change_after_the_time_for_texts(client_with: ClientWith) -> None:
    wren = client_with(chat_edit_hours=0)
    group_id = create_group(wren)
    send_message(wren, group_id, "look", pictures=(png_file(), "x.png"), alt="A hedge")
    send_message(wren, group_id, "words")
    page = wren.get(f"/chats/{group_id}").text
    assert "?edit=1" in page and "Edit descriptions" in page and "?edit=2" not in page
    form = wren.get(f"/chats/{group_id}?edit=1").text
    assert 'name="text"' not in form and 'name="keep_text" type="hidden" value="1"' in form
    edit = f"/chats/{group_id}/messages/1/edit"
    late = wren.post(edit, data={"text": "new", "alt": "Dawn"})
    assert late.status_code == 409 and ">Dawn</textarea>" in late.text
    for _ in range(2):  # the second time nothing is new
        assert wren.post(edit, data={"keep_text": "1", "alt": "Dawn"}).status_code == 303
    page_after = wren.get(f"/chats/{group_id}")
    assert (message_texts(page_after), alts(page_after)) == (["look", "words"], ["Dawn"])


def test_an_animated_picture_is_served_with_its_still_to_members_only(
    birds: Birds, group_id: str, settings: Config
) -> None:
    wren, finch, owl = birds.wren.client, birds.finch.client, birds.owl.client
    moving_file = io.BytesIO(animation())
    send_message(wren, group_id, "", pictures=(moving_file, "x.gif"), alt="a light")
    page = finch.get(f"/chats/{group_id}").text
    address = r"/chats/\d+/pictures/1-[0-9a-f]{32}"
    [moving] = re.findall(rf'<a\s+href="({address}-animated\.webp)"\s+data-play="Play GIF: a', page)
    [still] = re.findall(rf'<img\s+src="({address}\.webp)"', page)
    assert ">GIF</span>" in page
    for path, frames in ((still, 1), (moving, 3)):
        picture = Image.open(io.BytesIO(finch.get(path).data))
        assert (picture.format, getattr(picture, "n_frames", 1)) == ("WEBP", frames)
        assert owl.get(path).status_code == 404
    assert len(list((settings.media_path / "chat").rglob("*.webp"))) == 2
    wren.post(f"/chats/{group_id}/messages/1/delete")
    assert finch.get(moving).status_code == 404
    assert not list((settings.media_path / "chat").rglob("*.webp"))


def test_a_still_picture_has_no_animation_to_open(birds: Birds, group_id: str) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "", pictures=(png_file(), "x.png"))
    page = wren.get(f"/chats/{group_id}").text
    [still] = re.findall(r'<img\s+src="(/chats/[^"]+)\.webp"', page)
    assert wren.get(f"{still}.webp").status_code == 200
    assert wren.get(f"{still}-animated.webp").status_code == 404
