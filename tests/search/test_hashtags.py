"""Searching hashtags: by how their names begin, and by what they contain."""

import pytest
from flask.testing import FlaskClient

from tests.support.pages import page_text
from tests.support.world import Web, World, post
from webapp.core.store import Db
from webapp.search.hashtags import PAGE_SIZE, search_hashtags, tag_words
from webapp.statuses import Visibility


def names(db: Db, query: str) -> list[str]:
    """Return the names of the hashtags that a query finds."""
    return [one.trend.name for one in search_hashtags(db, tag_words(query)).items]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Red kite", ["red", "kite"]),
        ("#Birds", ["birds"]),
        ('"red kite" from:ann -toy OR #KITE', ["red", "kite"]),
        ("from:ann", []),
        ("手机", ["手机"]),
        ("!?", []),
    ],
)
def test_words_of_a_query_are_folded_as_names_are(query: str, words: list[str]) -> None:
    assert tag_words(query) == words


def test_hashtags_begin_with_or_contain_the_words(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for uid, text in (
        (ann, "#kite #RedKite #redwing"),
        (ben, "#redkite #kitesurfing #手机壳"),
        (ben, "#redkite"),
    ):
        post(world, uid, text)
    world.apply_events()
    assert names(world.db, "kite") == ["kite", "redkite", "kitesurfing"]
    assert names(world.db, "red kite") == names(world.db, "kite red") == ["redkite"]
    assert names(world.db, "RED") == ["redkite", "redwing"]
    assert names(world.db, "机壳") == ["手机壳"]
    assert names(world.db, "heron") == names(world.db, "") == []
    assert [one.posts for one in search_hashtags(world.db, ["redkite"]).items] == [3]


def test_only_public_posts_bring_hashtags_and_a_page_has_a_bound(world: World) -> None:
    [ann] = world.people("ann")
    for first in range(0, PAGE_SIZE + 5, 5):
        post(world, ann, " ".join(f"#marsh{number}" for number in range(first, first + 5)))
    world.do(post, ann, "#secretmarsh", visibility=Visibility.FOLLOWERS)
    first = search_hashtags(world.db, ["marsh"])
    assert len(first.items) == first.next == PAGE_SIZE
    rest = search_hashtags(world.db, ["marsh"], PAGE_SIZE)
    found = {one.trend.name for page in (first, rest) for one in page.items}
    assert found == {f"marsh{number}" for number in range(PAGE_SIZE + 5)}
    assert rest.next is None


def test_the_page_lists_hashtags_for_visitors_and_members(ann: FlaskClient, web: Web) -> None:
    ann.post("/statuses", data={"text": "a #RedKite"})
    for client in (ann, web.app.test_client()):
        text = page_text(client.get("/search?q=kite&tab=tags"))
        assert "#redkite" in text
        assert "1 post" in text or "1 person in the past day" in text
    nothing = page_text(web.app.test_client().get("/search?q=heron&tab=tags"))
    assert "No hashtags for “heron”" in nothing
    operators = page_text(web.app.test_client().get("/search?q=from:ann&tab=tags"))
    assert "Operators don’t apply to hashtags" in operators
