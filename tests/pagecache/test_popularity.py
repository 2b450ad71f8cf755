"""Views of paths: the most viewed are cached; counts are trimmed, and halved once a period."""

from dataclasses import replace

import pytest

from tests.support.pagecache import TOKENS, make_key
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.pagecache import keys as page_keys, popularity
from webapp.pagecache.store import PageStore


def test_the_most_viewed_paths_are_cached_and_counts_are_trimmed_and_halved(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(popularity, "FLUSH_SECONDS", 0.0)
    store = PageStore(Site(db, replace(config, page_cache_paths=5, page_views_max=12)))
    for number in range(40):
        for _ in range(40 - number):
            store.views.add(f"/@bird{number}", hit=bool(number % 2))
    assert store.lookup(make_key("/@bird39"), next(TOKENS)).popular, "no views are counted yet"
    counts = db.run(("ZRANGE", page_keys.page_views(), 0, -1, "REV", "WITHSCORES"))
    assert counts[::2] == [f"/@bird{number}" for number in range(12)]
    first = dict(zip(counts[::2], map(float, counts[1::2]), strict=True))
    assert [
        store.lookup(make_key(f"/@bird{number}"), next(TOKENS)).popular for number in range(14)
    ] == [True] * 5 + [False] * 9
    for rounds in range(1, 12):
        assert (
            0 < db.run(("PTTL", page_keys.page_views_halved())) <= popularity.HALVE_SECONDS * 1_000
        )
        db.run(("DEL", page_keys.page_views_halved()))  # as after HALVE_SECONDS
        store.views.add("/@bird0", hit=True)
        store.lookup(make_key("/@bird0"), next(TOKENS))
        scores = db.run(("ZRANGE", page_keys.page_views(), 0, -1, "WITHSCORES"))
        halved = dict(zip(scores[::2], map(float, scores[1::2]), strict=True))
        assert all(halved[path] == first[path] / 2**rounds for path in halved if path != "/@bird0")
    assert list(halved) == ["/@bird0"]


def test_a_process_counts_a_bounded_number_of_paths_before_a_flush(site: Site) -> None:
    store = PageStore(site)
    for number in range(2 * popularity.PENDING_PATHS_MAX):
        store.views.add(f"/@bird{number}", hit=True)
    assert len(store.views._paths) == popularity.PENDING_PATHS_MAX
