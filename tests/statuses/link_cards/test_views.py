"""Cards on pages: where they stand, who is shown them, and what renews a page."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import check_error, post_status, serving
from tests.support.world import Web
from webapp.config import Config
from webapp.core.media import removal
from webapp.core.media.signatures import PictureSigner
from webapp.core.media.storage import LINK_PICTURE_DAYS
from webapp.core.store import Db, Site, partition_of
from webapp.statuses.link_cards import keys, queue, worker as jobs
from webapp.statuses.values.card import LinkCard, first_picture_day
from webapp.streaming import keys as stream_keys
from webapp.streaming.delivery.restricted_statuses import RestrictedStatuses
from webapp.streaming.log.entries import parse_entries
from webapp.streaming.log.messages import Message
from webapp.streaming.translation.translate import translate

URL = "https://reeds.net/birds?a=1&b=2"
TODAY = f"{datetime.now(UTC):%Y%m%d}"
PICTURE = f"cards/{TODAY}/{'ab' * 16}"
CARD = LinkCard(URL, "Reeds <b>& rushes", "By night", PICTURE)
SHOWN = re.compile(r'<a class="page-card".*?</a>', re.S)


def give_card(app: Flask, status_id: int, card: LinkCard | None = CARD) -> None:
    """Attach a card to a post that waits for one, as the worker does."""
    db: Db = app.extensions["linnet.db"]
    config: Config = app.extensions["linnet.config"]
    [claimed] = queue.claim(db, partition_of(status_id), 5)
    assert claimed.status_id == status_id
    queue.attach(Site(db, config), claimed, "", card)
    worker.drain(Site(db, config))


def cards(page: str) -> list[str]:
    """Return the cards on a page."""
    return SHOWN.findall(page)


def test_a_card_stands_below_its_post_on_every_page(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, f"see {URL}")
    own_page = f"/@ann/{status_id}"
    paths = ("/public", "/@ann", own_page, f"/statuses?ids={status_id}")
    assert not any(cards(reader.get(path).text) for reader in (web.client, ben) for path in paths)
    give_card(web.app, status_id)
    ben.post("/@ann/follow")
    for reader, path in [
        *((reader, path) for reader in (web.client, ann, ben) for path in paths),
        (web.client, "/"),
        (ann, "/home"),
        (ben, "/home"),
    ]:
        page = reader.get(path).text
        [card] = cards(page)
        assert 'href="https://reeds.net/birds?a=1&amp;b=2" rel="nofollow noopener ugc"' in card
        assert "Reeds &lt;b&gt;&amp; rushes" in card and "<bdi>reeds.net</bdi>" in card
        assert f'src="/media/{PICTURE}.webp"' in card and 'alt=""' in card
        assert 'class="status-edited"' not in page


def test_a_card_stands_behind_the_warning_of_its_post(ann: FlaskClient, web: Web) -> None:
    ann.post("/statuses", data={"text": f"see {URL}", "cw": "spoiler"})
    [status_id] = map(int, re.findall(r'id="status-(\d+)"', ann.get("/@ann").text))
    give_card(web.app, status_id)
    page = ann.get("/@ann").text
    folded = re.search(r'<details class="status-cw">(.*?)</details>', page, re.S)
    assert folded and len(cards(folded[1])) == len(cards(page)) == 1


def test_an_edit_that_takes_the_link_away_takes_the_card_away(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, f"see {URL}")
    give_card(web.app, status_id)
    assert cards(web.client.get("/@ann").text)
    path = f"/@ann/{status_id}/edit"
    key = re.search(r'name="version"[^>]* value="([^"]*)"', ann.get(path).text)
    data = {"text": "see nothing", "version": key[1] if key else ""}
    assert ann.post(path, data=data).status_code == 303
    assert not cards(web.client.get("/@ann").text) and not cards(ann.get("/home").text)


def test_readers_can_hide_cards(ann: FlaskClient, web: Web) -> None:
    give_card(web.app, post_status(ann, f"see {URL}"))
    assert 'name="link_cards"' in ann.get("/settings/appearance").text
    for reader in (ann, web.client):
        html = "/home" if reader is ann else "/public"
        assert "data-link-cards" not in reader.get(html).text
        response = reader.post("/preferences", data={"link_cards": "off"})
        assert response.status_code == 303
        assert '<html lang="en" data-link-cards="off">' in reader.get(html).text
    visitor = web.app.test_client()
    assert "data-link-cards" not in visitor.get("/public").text  # a page cached for others
    page = ann.get("/settings/appearance").text
    assert re.search(r'name="link_cards"\s+value="off"\s+aria-pressed="true"', page)
    ann.post("/preferences", data={"link_cards": "on"})
    assert "data-link-cards" not in ann.get("/home").text
    ann.set_cookie("linnet_link_cards", "no such")
    assert "data-link-cards" not in ann.get("/home").text


@pytest.mark.parametrize("value", ["", "no", "OFF"])
def test_a_wrong_choice_is_refused(web: Web, value: str) -> None:
    response = web.client.post("/preferences", data={"link_cards": value})
    check_error(response, 422, "Choose to show or hide link cards.")
    assert "Set-Cookie" not in response.headers


def test_operators_can_switch_cards_off(ann: FlaskClient, web: Web) -> None:
    give_card(web.app, post_status(ann, f"see {URL}"))
    with serving(replace(web.config, link_cards="off", page_cache_bytes=0)) as without:
        assert not cards(without.test_client().get("/@ann").text)
        reader = without.test_client()
        cookie = ann.get_cookie("linnet")
        assert cookie
        reader.set_cookie("linnet", cookie.value)
        assert "Link cards" not in reader.get("/settings/appearance").text


def test_a_picture_is_shown_as_long_as_it_is_kept(ann: FlaskClient, web: Web) -> None:
    days = (0, LINK_PICTURE_DAYS, LINK_PICTURE_DAYS + 1, LINK_PICTURE_DAYS + 3)
    names = []
    for age in days:
        day = f"{datetime.now(UTC) - timedelta(days=age):%Y%m%d}"
        names.append(f"cards/{day}/{'cd' * 16}")
        (web.config.media_path / "cards" / day).mkdir(parents=True)
        (web.config.media_path / f"{names[-1]}.webp").write_bytes(b"picture")
        give_card(web.app, post_status(ann, f"{age} {URL}"), replace(CARD, picture=names[-1]))
    page = web.client.get("/@ann").text
    assert [f"/media/{name}.webp" in page for name in names] == [True, True, False, False]
    assert len(cards(page)) == 4
    for partition in range(3):
        jobs.remove_expired_pictures(web, partition)
    statuses = [web.client.get(f"/media/{name}.webp").status_code for name in names]
    assert statuses == [200, 200, 200, 404]  # open pages have two days more


def test_expired_pictures_are_removed_in_batches(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "REMOVE_BATCH", 2)
    folder = settings.media_path / "cards" / "20260101"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"{number:032}.webp").write_bytes(b"picture")
    first_day = first_picture_day(datetime.now(UTC).date())
    removal.remove_link_pictures(settings, first_day)
    assert len(list(folder.iterdir())) == 1
    removal.remove_link_pictures(settings, first_day)
    assert not folder.exists()
    removal.remove_link_pictures(settings, first_day)


@pytest.mark.parametrize(
    "path",
    ["20260101/x.webp", f"2026/{'a' * 32}.webp", f"20260101/{'A' * 32}.webp",
     f"20260101/{'a' * 32}.png", f"..%2F1/{'a' * 32}.webp", f"20260101/{'a' * 32}.webp"],
)  # fmt: skip
def test_other_names_are_not_found(web: Web, path: str) -> None:
    assert web.client.get(f"/media/cards/{path}").status_code == 404


def log_messages(app: Flask) -> list[Message]:
    """Return the messages of the site's log to open streams."""
    db: Db = app.extensions["linnet.db"]
    entries = parse_entries(db.run(("XRANGE", stream_keys.event_log(), "-", "+")))
    return [item for item in translate(db, entries, "") if isinstance(item, Message)]


def test_open_pages_are_told_and_clients_of_the_api_are_not(ann: FlaskClient, web: Web) -> None:
    status_id = post_status(ann, f"see {URL}")
    give_card(web.app, status_id)
    message = log_messages(web.app)[-1]
    assert (message.kind, message.status_id, message.body) == ("card", status_id, b"")
    assert b"event: edit" in message.sse and not message.restricted_to
    give_card_again(web.app, status_id)
    assert len(log_messages(web.app)) == 2


def give_card_again(app: Flask, status_id: int) -> None:
    """Attach the same card once more: nothing changes."""
    db: Db = app.extensions["linnet.db"]
    db.run(("ZADD", keys.due_cards(partition_of(status_id)), 0, status_id))
    give_card(app, status_id)


@pytest.mark.parametrize("protected", [False, True])
def test_the_card_of_a_restricted_post_is_announced_to_its_audience_only(
    ann: FlaskClient, ben: FlaskClient, web: Web, protected: bool
) -> None:
    if protected:
        assert ann.post("/settings/privacy", data={"protected": "y"}).status_code == 303
    data = {"text": f"see {URL}"} | ({} if protected else {"visibility": "followers"})
    ann.post("/statuses", data=data)
    [status_id] = map(int, re.findall(r'id="status-(\d+)"', ann.get("/@ann").text))
    give_card(web.app, status_id)
    assert cards(ann.get("/home").text)
    for reader in (ben, web.client):
        for path in ("/public", "/@ann", f"/@ann/{status_id}", f"/statuses?ids={status_id}"):
            assert "reeds.net" not in reader.get(path).text
    message = log_messages(web.app)[-1]
    assert message.kind == "card" and message.restricted_to and not message.body
    assert b"event: edit" in message.sse and b"reeds" not in message.sse
    program = RestrictedStatuses(web.db, 1, "", lambda: PictureSigner(b""))
    assert program.complete([message]) == [message]  # a program is sent no edit
