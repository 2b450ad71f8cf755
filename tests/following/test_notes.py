"""A private note about a member: only its writer ever sees it."""

import pytest

from tests.support.concurrently import at_once
from tests.support.world import Web, World
from webapp.core.errors import Conflict, Invalid, NotFound
from webapp.following import keys
from webapp.following.notes import store as notes
from webapp.following.relations import relation


def test_a_note_is_read_with_the_relation_and_an_empty_one_is_removed(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    assert notes.save_note(world.db, ann, "Ben", "met at the ferry").uid == ben
    assert world.db.read(relation(ann, ben, 1)).note == "met at the ferry"
    assert world.db.read(relation(ben, ann, 1)).note == ""
    notes.save_note(world.db, ann, "ben", "")
    assert not world.db.run(("EXISTS", keys.notes(ann)))


def test_notes_are_bounded_and_refuse_oneself_and_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, *_ = world.people("ann", "ben", "cid")
    monkeypatch.setattr(notes, "NOTES_MAX", 1)
    with pytest.raises(Invalid):
        notes.save_note(world.db, ann, "ann", "me")
    with pytest.raises(NotFound):
        notes.save_note(world.db, ann, "nobody", "who?")
    at_once(10, lambda n: notes.save_note(world.db, ann, "ben", f"{n}"), range(50))
    with pytest.raises(Conflict):
        notes.save_note(world.db, ann, "cid", "one too many")
    world.suspend(ann)
    with pytest.raises(Exception, match="suspended"):
        notes.save_note(world.db, ann, "ben", "still here")


def test_notes_end_with_either_account(world: World) -> None:
    ann, ben, _cid = world.people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        notes.save_note(world.db, ann, login, "quiet")
    world.do(World.delete_account, ben, None)
    with pytest.raises(NotFound):
        notes.load_note(world.db, ann, "ben")
    assert world.db.run(("HLEN", keys.notes(ann))) == 1
    world.do(World.delete_account, ann, None)
    assert not world.db.run(("EXISTS", keys.notes(ann)))


def test_only_the_writer_sees_a_note(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    assert "Add a note about @ben" in ann.get("/@ben/menu").text
    saved = ann.post("/@ben/note", data={"note": "  owes me\r\na <b>heron</b>  "})
    assert saved.status_code == 303 and saved.location == "/@ben"
    page = ann.get("/@ben").text
    assert "Your note · only you can see it" in page and "Note saved." in page
    assert "owes me\na &lt;b&gt;heron&lt;/b&gt;" in page
    assert "Edit note about @ben" in ann.get("/@ben/menu").text
    assert "heron" in ann.get("/@ben/note").text
    for browser in (ben, cid, web.client):
        for path in ("/@ben", "/@ann", "/@ben/note", "/@ben/menu", "/notifications"):
            assert "heron" not in browser.get(path).text


def test_a_long_note_comes_back_as_it_was_written(web: Web) -> None:
    ann, _ = web.member("ann"), web.member("ben")
    refused = ann.post("/@ben/note", data={"note": "x" * 501})
    assert refused.status_code == 422
    assert "x" * 501 in refused.text and "The limit is 500." in refused.text
    assert "Note about" not in ann.get("/@ben").text
    assert ann.get("/@ann/note").status_code == 422
    assert ann.get("/@nobody/note").status_code == 404
