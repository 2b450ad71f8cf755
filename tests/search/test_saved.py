"""Saved searches: the store, and the pages."""

import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import at_once, concurrently
from tests.support.pages import page_text
from tests.support.world import Web, World
from webapp.core.errors import NotFound
from webapp.search.saved import store as saved
from webapp.search.saved.store import SAVED_MAX, SavedSearch

HERON = SavedSearch("latest", "grey heron")


def test_a_search_is_saved_once_and_the_latest_is_first(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    kite = SavedSearch("top", 'kite OR "red kite"')
    assert saved.save(world, ann, HERON)
    assert saved.save(world, ann, kite)
    assert not saved.save(world, ann, HERON)
    assert world.db.read(saved.saved_by(ann)) == (kite, HERON)
    assert world.db.read(saved.saved_by(ben)) == ()
    assert saved.remove(world, ann, kite)
    assert not saved.remove(world, ann, kite)
    assert world.db.read(saved.saved_by(ann)) == (HERON,)
    with pytest.raises(NotFound):
        saved.save(world, 999, HERON)


def test_concurrent_saves_stop_at_the_limit(world: World) -> None:
    [ann] = world.people("ann")
    searches = [SavedSearch("latest", f"heron {number}") for number in range(50)]
    results = concurrently(lambda number: saved.save(world, ann, searches[number]), 50)
    assert results.count("searches_full") == 50 - SAVED_MAX
    assert len(world.db.read(saved.saved_by(ann))) == SAVED_MAX
    kept = world.db.read(saved.saved_by(ann))[0]
    assert not saved.save(world, ann, kept)  # what is saved is not refused


def test_the_same_search_saved_by_fifty_requests_is_one(world: World) -> None:
    [ann] = world.people("ann")
    added = at_once(50, lambda _: saved.save(world, ann, HERON), range(50))
    assert sum(added) == 1
    assert world.db.read(saved.saved_by(ann)) == (HERON,)


def test_results_have_a_button_that_saves_and_removes(ann: FlaskClient) -> None:
    ann.post("/statuses", data={"text": "a heron"})
    assert "Save search" in page_text(ann.get("/search?q=heron&tab=top"))
    response = ann.post("/search/saved", data={"q": "  heron ", "tab": "top"})
    assert response.status_code == 303
    assert response.location == "/search?q=heron&tab=top"
    assert "Remove saved search" in page_text(ann.get("/search?q=heron&tab=top"))
    assert "Save search" in page_text(ann.get("/search?q=heron"))
    page = ann.get("/search/saved")
    assert 'href="/search?q=heron&amp;tab=top"' in page.text
    response = ann.post("/search/saved/remove", data={"q": "heron", "tab": "top"})
    assert response.location == "/search/saved"
    assert "No saved searches yet" in page_text(ann.get("/search/saved"))


def test_one_too_many_is_refused_beside_the_results(ann: FlaskClient) -> None:
    for number in range(SAVED_MAX):
        assert ann.post("/search/saved", data={"q": f"heron {number}"}).status_code == 303
    response = ann.post("/search/saved", data={"q": "red kite", "tab": "people"})
    assert response.status_code == 409
    assert "You’ve reached the limit for saved searches. Remove one first." in page_text(response)
    assert 'value="red kite"' in response.text
    assert 'aria-current="page">People' in response.text
    assert len(ann.get("/search/saved").text.split("saved-search")) == SAVED_MAX + 1


def test_nothing_cannot_be_saved_and_visitors_save_nothing(web: Web) -> None:
    assert web.member("ann").post("/search/saved", data={"q": "  "}).status_code == 422
    assert "Save search" not in web.client.get("/search?q=heron").text
