"""Matching one post with a query, compared with what the index finds."""

import random

import pytest

from tests.support.searching import latest
from tests.support.settings import with_settings
from tests.support.world import World, post
from webapp.core.search.syntax import parse
from webapp.search.index.documents import status_document, stored_document
from webapp.search.query.matching import matches, required_terms
from webapp.statuses import Picture, Poll, keys as status_keys, statuses, stored_status
from webapp.statuses.values.pictures import pack_pictures

WORDS = (
    *("heron", "herons", "grey", "to", "be", "not", "Katze", "Katzen", "café", "#birds", "@ann"),
    *(
        "手机壳",
        "手机",
        "好",
        "麻雀飞",
        "$gold",
        "www.example.org/a",
        "flying",
        "flies",
        "kite",
        "don’t",
        "dont",
    ),
)
PARTS = (
    *WORDS,
    *('"grey heron"', '"to be"', '"be not"', '"手机 heron"', "壳", "机壳", "from:ann", "from:ben"),
    *("has:link", "is:reply", "lang:en", "lang:de", "lang:zh", "url:example.org", "mentions:ann"),
    *(
        "cafe",
        "bird",
        "don't",
        '"don’t to"',
        "min_likes:0",
        "min_likes:1",
        "since:2026-01-02",
        "until:2026-01-02",
    ),
)


def random_query(rng: random.Random) -> str:
    """Return a query of a few parts, some negated, some joined with OR."""
    parts = []
    for _ in range(rng.randint(1, 3)):
        sign = "-" if rng.random() < 0.2 else ""
        parts.append(sign + rng.choice(PARTS))
        if rng.random() < 0.2:
            parts += ["OR", rng.choice(PARTS)]
    return " ".join(parts)


def test_new_posts_are_indexed_as_later_ones_are(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    picture = Picture("a" * 32, 10, 10, "a grey heron")
    first = post(world, ann, "Where? #birds $gold @ben www.example.org/a", cw="birds")
    entries = [
        (first, ann),
        (post(world, ben, "On a roof", reply=first), ben),
        (post(world, ann, "Or aloft", reply=first), ann),
        (post(world, ben, "Who knows?", poll=Poll(("A kite", "Ann"), 60)), ben),
        (post(world, ben, "Sie fliegen im Schlaf über dem Meer", quote=first), ben),
    ]
    world.db.run(("HSET", status_keys.status(first), "media", pack_pictures([picture])))
    built = world.db.read(statuses(entries))
    assert {bool(one and one.poll) for one in built} == {bool(one and one.quote) for one in built}
    logins = {ann: "ann", ben: "ben"}
    for (status_id, uid), status in zip(entries, built, strict=True):
        assert status
        stored = world.db.read(stored_status(status_id))
        assert stored_document(stored, uid, logins[uid]) == status_document(status)
    gone = world.db.read(stored_status(first - 64))
    assert stored_document(gone, ann, "ann") is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_post_matches_if_the_index_finds_it(world: World, seed: int) -> None:
    rng = random.Random(seed)
    uids = world.people("ann", "ben")
    entries = []
    for _ in range(40):
        uid = rng.choice(uids)
        text = " ".join(rng.choices(WORDS, k=rng.randint(1, 7)))
        reply = rng.choice(entries)[0] if entries and rng.random() < 0.2 else None
        entries.append((post(world, uid, text, reply=reply), uid))
        world.apply_events()
    documents = [status_document(one) for one in world.db.read(statuses(entries)) if one]
    whole = with_settings(world, page_size=50)
    for _ in range(100):
        query = random_query(rng)
        plan = parse(query).plan
        if plan.is_empty:
            continue
        found = sorted(one.id for one in documents if matches(plan, one))
        assert found == sorted(latest(whole, query)), query
        terms = required_terms(plan)
        assert all(terms & one.terms for one in documents if matches(plan, one) and terms), query


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("from:ann lang:en", {"from=ann"}),
        ("lang:en", {"lang=en"}),
        ("#birds OR #kites", {"#birds", "#kites"}),
        ("-heron", set()),
        ("好", set()),
    ],
)
def test_a_query_requires_one_of_its_rarest_terms(query: str, terms: set[str]) -> None:
    assert required_terms(parse(query).plan) == terms
