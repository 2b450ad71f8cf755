"""The posts of a thread have pictures, polls, warnings and places of their own."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import Client
from tests.support import worker
from tests.support.multipart import Field, multipart
from tests.support.pages import page_text
from tests.support.statuses.picture_pages import addresses, bare, opens
from tests.support.statuses.pictures import files, photo
from tests.support.world import Web
from webapp.core.store import partition_of
from webapp.statuses import Status, keys as status_keys, store
from webapp.statuses.drafts import keys as draft_keys, store as drafts
from webapp.statuses.polls import keys as poll_keys

KEY = "abcdefgh-1"
JSON = {"Accept": "application/json"}
TEXTS = {"text": "one", "more1": "two", "more2": "three", "key": KEY}
OWN = {
    **{"cw": "numbers", "more1_cw": "letters", "more1_place": "Hedge"},
    **{"more2_option1": "a", "more2_option2": "b", "more2_poll_minutes": "60"},
}


def send(client: Client, path: str, fields: dict[str, str], **pictures: bytes) -> TestResponse:
    """Send a form with pictures, by the prefix of their post."""
    parts: list[Field] = [*fields.items()]
    for name, content in pictures.items():
        parts += [(f"{name}pictures".removeprefix("first_"), content)]
    body, headers = multipart(parts)
    return client.post(path, data=body, headers=headers)


def posted(app: Flask, uid: int = 1) -> list[Status]:
    """Return a member's statuses, oldest first."""
    db = app.extensions["linnet.db"]
    ids = db.run(("ZRANGE", status_keys.profile_statuses(uid), 0, -1))
    return [store.get(db, int(one), uid) for one in ids]


def check_parts(app: Flask) -> None:
    """Check that each post has what was written in it, and no other."""
    first, second, third = posted(app)
    assert [one.cw for one in (first, second, third)] == ["numbers", "letters", "numbers"]
    assert [len(one.pictures) for one in (first, second, third)] == [1, 1, 0]
    assert first.pictures[0].name != second.pictures[0].name
    assert second.place and second.place.name == "Hedge" and not (first.place or third.place)
    assert third.poll and third.poll.options == ("a", "b") and not (first.poll or second.poll)
    deadlines = poll_keys.poll_deadlines(partition_of(third.id))
    assert app.extensions["linnet.db"].run(("ZCARD", deadlines)) == 1


def test_each_post_of_a_thread_has_parts_of_its_own(ann: FlaskClient, web: Web) -> None:
    for _ in range(2):  # the same form posts once
        pictures = {"first_": photo(), "more1_": photo(colour="#4b5")}
        assert send(ann, "/statuses", TEXTS | OWN, **pictures).status_code == 303
        check_parts(web.app)
    first, second, _ = posted(web.app)
    ann.post(f"/statuses/{second.id}/delete")
    kept = {name.partition("-")[0] for name in files(web.config)}
    assert first.pictures[0].name in kept and second.pictures[0].name not in kept


def test_a_draft_keeps_the_parts_of_each_post_until_it_is_posted_on_time(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    send(ann, "/drafts", TEXTS | OWN, first_=photo(), more1_=photo(colour="#4b5"))
    page = ann.get(f"/drafts/{KEY}").text
    assert 'name="more1_cw" type="text" value="letters"' in page
    assert 'name="more2_option2" type="text" value="b"' in page
    tokens = {
        name: unescape(token)
        for name, token in re.findall(r'name="(\w*stored)" value="([^"]+)"', page)
    }
    assert list(tokens) == ["stored", "more1_stored"]
    ann.post("/drafts", data=TEXTS | OWN | tokens)  # saved again, it keeps its pictures
    draft = drafts.get(db, 1, KEY)
    assert [len(one["pictures"]) for one in draft.posts] == [1, 1, 0]
    drafts.save(web, 1, KEY, draft.fields, datetime.now(UTC), draft.pictures)
    worker.publish_due(web)
    check_parts(web.app)
    assert not db.run(("EXISTS", draft_keys.draft(1, KEY)))


def test_a_post_may_be_a_picture_alone_and_gaps_are_closed(ann: FlaskClient, web: Web) -> None:
    fields = {"text": "one", "more1": "", "more3": "", "more3_alt": "a red sky", "key": KEY}
    send(ann, "/drafts", fields, more3_=photo())
    page = ann.get(f"/drafts/{KEY}").text
    assert 'name="more1_stored"' in page and "more2" not in page and "a red sky" in page
    assert send(ann, "/statuses", fields, more3_=photo()).status_code == 303
    assert [one.text for one in posted(web.app)] == ["one", ""]


@pytest.mark.parametrize(
    ("wrong", "field", "sentence"),
    [
        ({"more1_option1": "a"}, "more1_option2", "A poll needs at least two answers."),
        ({"more1_option1": "a", "more1_option2": "a"}, "more1_option2", "This is the same"),
        ({"more1_cw": "x" * 101}, "more1_cw", "The limit is 100."),
        ({"more1_place": "x" * 101}, "more1_place", "The limit is 100."),
        ({"more1_stored": "forged"}, "more1_pictures", "Some pictures are gone."),
    ],
)
def test_what_is_wrong_in_a_post_is_said_at_its_field_and_nothing_is_posted(
    ann: FlaskClient, web: Web, wrong: dict[str, str], field: str, sentence: str
) -> None:
    refused = ann.post("/statuses", data=TEXTS | wrong)
    assert refused.status_code == 422 and sentence in page_text(refused)
    response = ann.post("/statuses", data=TEXTS | wrong, headers=JSON)
    assert response.status_code == 422 and response.json
    assert sentence in response.json["fields"][field] and not response.json["errors"]
    assert posted(web.app) == []


def test_a_picture_of_another_member_is_no_part_of_a_thread(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    send(ann, "/drafts", TEXTS, more1_=photo())
    token = re.search(r'name="more1_stored" value="([^"]+)"', ann.get(f"/drafts/{KEY}").text)
    assert token
    refused = ben.post("/statuses", data=TEXTS | {"more1_stored": unescape(token[1])})
    assert refused.status_code == 422 and posted(web.app, 2) == []


def test_a_card_for_another_post_is_for_members_and_within_the_limit(web: Web) -> None:
    ann = web.member("ann")
    page = ann.get("/statuses/new/2").text
    assert 'name="more1"' in page and 'name="more1_pictures"' in page and "<html" not in page
    assert 'name="more9"' in ann.get("/statuses/new/10").text
    assert [ann.get(f"/statuses/new/{n}").status_code for n in (0, 1, 11)] == [404] * 3
    assert web.app.test_client().get("/statuses/new/2").status_code == 303


def test_the_pictures_of_a_restricted_thread_are_for_its_readers(web: Web) -> None:
    ann = web.member("ann")
    send(ann, "/statuses", {**TEXTS, "visibility": "followers"}, more1_=photo())
    [address] = addresses(ann)
    assert opens(ann, address) == [True]
    assert opens(web.app.test_client(), bare(address)) == [False]
    assert addresses(web.app.test_client()) == []
