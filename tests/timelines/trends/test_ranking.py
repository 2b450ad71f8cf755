"""The ranking is that of a model in plain Python, which keeps sets of members."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from random import Random

import pytest

from tests.support.crashing_db import dies
from tests.support.trends import share_all, trending
from tests.support.world import World
from webapp.accounts import projections as accounts
from webapp.core.events.outbox import Event
from webapp.core.store import Db
from webapp.core.store.ids import EPOCH_MS
from webapp.statuses import keys as status_keys
from webapp.statuses.values.card import LinkCard, pack_card
from webapp.timelines.trends import counting, hidden, store
from webapp.timelines.trends.items import DAY_MS, HOUR_MS
from webapp.timelines.trends.ranking import (
    Counts,
    Ranking,
    Trend,
    language_first,
    score,
    shortlist,
    top,
)
from webapp.timelines.trends.uses import Use, UseUpdate, candidate_commands

NOW_MS = time.time_ns() // 1_000_000
HOURS = 9 * 24 + 12  # that the model's community has shared things


@dataclass
class Model:
    """Remember who shared what, from where, within which hour."""

    shared: dict[str, dict[int, set[int]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    networks: dict[str, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )

    def share(self, item: str, ms: int, uid: int, network: str) -> None:
        self.shared[item][ms // HOUR_MS].add(uid)
        if network:
            self.networks[item][ms // DAY_MS].add(network)

    def ranking(self, now_ms: int) -> list[str]:
        """Return what trends, as the rules of the page say it."""
        scores = {item: self.score(item, now_ms) for item in self.shared}
        return sorted(filter(scores.__getitem__, scores), key=lambda one: (-scores[one], one))

    def score(self, item: str, now_ms: int) -> float:
        hour, day = now_ms // HOUR_MS, now_ms // DAY_MS
        last_seen: dict[int, int] = {}  # uid -> hours ago
        for at in range(hour - 23, hour + 1):
            last_seen.update(dict.fromkeys(self.shared[item].get(at, ()), hour - at))
        networks = max(len(self.networks[item].get(one, ())) for one in (day - 1, day))
        if len(last_seen) < 5 or networks < 2:
            return 0.0
        week = sum(
            len(set().union(*(self.shared[item].get(day_ * 24 + h, set()) for h in range(24))))
            for day_ in range(day - 8, day - 1)
        )
        expected = week / 7
        if len(last_seen) <= expected:
            return 0.0
        weights = [
            1 if ago < 3 else 0.5 if ago < 6 else 0.25 if ago < 12 else 0.125
            for ago in last_seen.values()
        ]
        fresh = sum(weights) / len(weights)
        return (len(last_seen) - expected) ** 2 / (expected + 1) * fresh


def count_use(db: Db, item: str, ms: int, uid: int, network: str, lang: str = "en") -> None:
    """Count a use at a time, as projections do."""
    use_id = ((ms - EPOCH_MS) << 12) + uid
    event = Event("1-1", 0, "fanout", 1, "posted", "-", {"network": network})
    update = UseUpdate(Use(event, use_id, uid, use_id, uid), lang, frozenset(), frozenset({item}))
    [members] = db.trip(update.add_command(item))
    db.trip(*candidate_commands(ms // HOUR_MS, {item: members}))


def test_the_ranking_is_that_of_the_model(db: Db) -> None:
    rng, model = Random("trends"), Model()
    items = [f"#tag{number}" for number in range(12)]
    start = NOW_MS - HOURS * HOUR_MS
    for number, item in enumerate(items):
        # Some are always there, some began today, some are over, some come from one network.
        first = 0 if number % 3 == 0 else HOURS - 24 + number
        last = HOURS - 13 if number % 5 == 4 else HOURS
        for _ in range(30 + 6 * number):
            ms = start + rng.randrange(first * HOUR_MS, last * HOUR_MS)
            uid = rng.randrange(1, 10 + number)
            network = "" if number == 7 else "one" if number == 8 else f"net{uid}"
            model.share(item, ms, uid, network)
            count_use(db, item, ms, uid, network)
    expected = model.ranking(NOW_MS)
    assert 3 < len(expected) < len(items) - 1
    assert [trend.item for trend in counting.rank(db, NOW_MS).tags] == expected
    later = NOW_MS + 5 * HOUR_MS
    assert [trend.item for trend in counting.rank(db, later).tags] == model.ranking(later)


def test_what_rises_goes_before_what_is_always_there(db: Db) -> None:
    for days in range(1, 9):
        for uid in range(1, 41):
            count_use(db, "#daily", NOW_MS - days * DAY_MS, uid, f"net{uid}")
    for uid in range(1, 43):
        count_use(db, "#daily", NOW_MS, uid, f"net{uid}")
    for uid in range(1, 8):
        count_use(db, "#new", NOW_MS, uid, f"net{uid}")
    assert [trend.item for trend in counting.rank(db, NOW_MS).tags] == ["#new", "#daily"]


def test_a_trend_sinks_by_the_hour_and_is_gone_after_a_day() -> None:
    fresh = score(Counts((10, 10, 10, 10), (0,) * 7))
    older = score(Counts((0, 10, 10, 10), (0,) * 7))
    oldest = score(Counts((0, 0, 0, 10), (0,) * 7))
    assert fresh == 2 * older == 8 * oldest == 100
    assert score(Counts((0, 0, 0, 0), (0,) * 7)) == 0
    assert score(Counts((10, 10, 10, 10), (10,) * 7)) == 0


def test_candidates_halve_every_six_hours() -> None:
    candidates = {100: {"#old": 10}, 106: {"#mid": 9}, 112: {"#new": 4}}
    assert shortlist(candidates, 112, 9) == ["#mid", "#new", "#old"]
    assert shortlist(candidates, 112, 1) == ["#mid"]


def test_hashtags_and_links_are_ranked_apart() -> None:
    scores = {"#a": 1.0, "#b": 2.0, "https://c.press/": 0.5, "#none": 0.0}
    assert top(scores, 1) == ["#b", "https://c.press/"]


def trend(item: str, lang: str = "", card: LinkCard | None = None) -> Trend:
    return Trend(item, 5, lang, (0, 1, 2, 3, 4, 5, 6, 5), card)


def test_the_readers_language_comes_first() -> None:
    trends = [trend("#a", "zh"), trend("#b", "en"), trend("#c"), trend("#d", "fr")]
    assert [one.item for one in language_first(trends, "en")] == ["#b", "#c", "#a", "#d"]


def test_a_ranking_has_histories_languages_and_cards(world: World) -> None:
    url = "https://birds.press/dawn"
    uids = world.people(*"abcdef")
    ids = world.do(share_all, uids, f"The dawn chorus was lovely this morning #dawn {url}")
    card = LinkCard(url, "Dawn chorus", "", "")
    world.db.run(("HSET", status_keys.status(ids[-1]), "card", pack_card(card)))
    ranking = counting.rank(world.db, time.time_ns() // 1_000_000)
    [tag], [link] = ranking.tags, ranking.links
    assert (tag.members, tag.lang, sum(tag.history), len(tag.history)) == (6, "en", 6, 8)
    assert (link.item, link.card) == (url, card)
    saved = Ranking((trend("#dawn", "en"),), (trend(url, "en", card),))
    store.save(world.db, 1, saved)
    assert world.db.read(store.current()) == saved


def test_an_older_ranking_does_not_replace_a_newer_one(db: Db) -> None:
    newer, older = Ranking((trend("#new"),)), Ranking((trend("#old"),))
    store.save(db, 2, newer)
    store.save(db, 1, older)
    assert db.read(store.current()) == newer


def test_a_job_that_dies_leaves_the_ranking_and_the_next_one_finishes(world: World) -> None:
    world.do(share_all, world.people(*"abcdef"), "#dawn https://birds.press/")
    for trips in range(9):
        if not dies(world, trips, counting.rank_now):
            break
        assert len(world.db.read(store.current()).tags) in (0, 1)
    assert trips > 4
    assert [one.item for one in world.db.read(store.current()).tags] == ["#dawn"]


def test_the_operator_hides_a_trend_from_everybody_and_takes_it_back(db: Db) -> None:
    store.save(db, 1, Ranking((trend("#bad"), trend("#good"))))
    assert hidden.suppress(db, "#bad") and not hidden.suppress(db, "#bad")
    assert [one.item for one in db.read(store.current()).tags] == ["#good"]
    assert hidden.unsuppress(db, "#bad") and not hidden.unsuppress(db, "#bad")
    assert len(db.read(store.current()).tags) == 2


def test_a_member_hides_a_bounded_number_of_trends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden, "HIDDEN_MAX", 2)
    ann, ben = world.people("ann", "ben")
    for item in ("#one", "#two", "#two", "#three"):
        hidden.hide(world, ann, item)
    assert world.db.read(hidden.hidden_by(ann)) == ("#three", "#two")
    assert world.db.read(hidden.hidden_by(ben)) == ()
    hidden.unhide(world, ann, "#two")
    assert world.db.read(hidden.hidden_by(ann)) == ("#three",)
    accounts.purge_private_keys(
        world.context,
        [Event("1-1", 0, "bulk", 1, "account_deleted", "-", {"uid": str(ann)})],
    )
    assert world.db.read(hidden.hidden_by(ann)) == ()


def test_nothing_is_looked_at_that_nobody_shares(db: Db) -> None:
    before = db.trips
    assert trending(db) == []
    assert db.trips - before <= 2
