"""Job offers at the store: those that fit are those that a comparison of all pairs finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import long
from tests.support.concurrently import concurrently
from tests.support.schema import live_keys
from tests.support.world import World
from webapp.community.jobs import keys, store, work
from webapp.community.jobs.skills import Skill, distinct, lacking
from webapp.community.jobs.store import Candidate, Offer
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Site

NAMES = ("Python", "C++", "Lua", "Go", "SQL", "Baking", "鸟类学", "Rust", "CSS", "Redis")
PLACES = ("", "Berlin", "Kunming")
Levels = dict[str, tuple[int, int]]  # level and years by the name of a skill


def offer(*skills: Skill, title: str = "Watch birds", place: str = "Berlin") -> Offer:
    """Return an offer that needs skills."""
    return Offer(title, "All day", place, not place, skills)


def all_fitting(site: Site, uid: int, missing: int, size: int = 20) -> Iterator[int]:
    """Yield the ids of all pages of offers that fit a member."""
    before = None
    while True:
        ids, before = site.db.read(store.fitting(uid, missing, before, size))
        yield from ids
        if before is None:
            return


def some_skills(rng: random.Random, most: int) -> tuple[Skill, ...]:
    """Return skills with levels and years."""
    names = rng.sample(NAMES, rng.randint(1, most))
    return tuple(Skill(name, rng.randint(1, 3), rng.choice((0, 0, 2, 5))) for name in names)


def count_missing(needed: Levels, owned: Levels) -> int:
    """Return how many needed skills are not met."""
    return sum(
        name not in owned or owned[name][0] < level or owned[name][1] < years
        for name, (level, years) in needed.items()
    )


def levels(skills: tuple[Skill, ...]) -> Levels:
    """Return levels and years by name."""
    return {skill.name: (skill.level, skill.years) for skill in skills}


@pytest.mark.parametrize(("jobs", "members"), [(250, 60), long(2_000, 500)])
def test_offers_that_fit_are_those_that_a_comparison_of_all_finds(
    site: Site, monkeypatch: pytest.MonkeyPatch, jobs: int, members: int
) -> None:
    rng = random.Random("jobs")
    offers, needs, candidates = {}, {}, {}
    for number in range(jobs):
        skills = some_skills(rng, 4)
        made = offer(*skills, title=f"Job {number}", place=rng.choice(PLACES))
        job_id = store.save(site, 1 + number // store.OWN_JOBS_MAX, made)
        offers[job_id], needs[job_id] = skills, levels(skills)
    newest = sorted(needs, reverse=True)
    for uid in (
        *range(members),
        *rng.sample(range(members), members // 10),
    ):  # some change their mind
        candidates[uid] = Candidate(some_skills(rng, 8), rng.random() < 0.5)
        store.save_skills(site, uid, candidates[uid])
    for uid, candidate in candidates.items():
        owned = levels(candidate.skills)
        ever = {name: (level, 99) for name, (level, _years) in owned.items()}
        lacks = {job_id: count_missing(needs[job_id], owned) for job_id in newest}
        fits = [job_id for job_id in newest if not lacks[job_id]]
        almost = [one for one in newest if lacks[one] == 1]
        almost = [one for one in almost if count_missing(needs[one], ever) < len(needs[one])]
        monkeypatch.setattr(store, "EXAMINED_MAX", 200 if uid % 50 == 0 else 2_000)
        size = 20 if uid % 50 == 0 else 2_000
        assert list(all_fitting(site, uid, 0, size)) == fits
        assert list(all_fitting(site, uid, 1, size)) == almost
    monkeypatch.setattr(store, "EXAMINED_MAX", 200)
    for job_id in rng.sample(newest, jobs // 10):
        fit = [
            (uid, one.skills)
            for uid, one in sorted(candidates.items(), reverse=True)
            if one.shown and not count_missing(needs[job_id], levels(one.skills))
        ]
        assert site.db.read(store.candidates(job_id))[0] == fit[: store.CANDIDATES_SHOWN]
        assert not fit or not lacking(offers[job_id], fit[0][1])


def test_of_a_skill_named_twice_the_higher_level_counts() -> None:
    twice = (Skill("Go", 1, 4), Skill("GO ", 3, 1), Skill("Lua", 2))
    assert distinct(twice) == (Skill("Go", 3, 4), Skill("Lua", 2))


def test_a_changed_offer_leaves_nothing_of_what_it_was(site: Site) -> None:
    job_id = store.save(site, 1, offer(Skill("Go", 2), Skill("Lua"), place="Berlin"))
    store.save(site, 1, offer(Skill("SQL"), place=""), job_id)
    store.save_skills(site, 2, Candidate((Skill("go", 3), Skill("lua"))))
    assert list(all_fitting(site, 2, 0)) == [] == site.db.read(store.search("go", "", None, 5))[0]
    assert site.db.read(store.search("sql", "anywhere", None, 5))[0] == [job_id]  # it is remote
    for other in (1, 3):
        with pytest.raises(Forbidden if other == 3 else NotFound):
            store.close(site, other, job_id if other == 3 else job_id + 64)
    with pytest.raises(Forbidden):
        store.save(site, 3, offer(Skill("Go")), job_id)
    store.close(site, 1, job_id)
    store.save_skills(site, 2, Candidate())
    assert [key for key in live_keys(site.db) if "{jobs}" in key] == []


def test_offers_are_searched_by_skill_and_place_in_pages(site: Site) -> None:
    ids = [
        store.save(site, uid, offer(Skill(name), place=place))
        for uid, (name, place) in enumerate((name, place) for name in NAMES for place in PLACES)
    ][::-1]
    first, before = site.db.read(store.search("", "", None, 20))
    rest, end = site.db.read(store.search("", "", before, 20))
    assert (first + rest, end) == (ids, None)
    assert site.db.read(store.search(" ", ":", None, 20))[0] == first, "blanks are nothing"
    assert len(site.db.read(store.search("C++", "", None, 20))[0]) == 3
    assert len(site.db.read(store.search("", "berlin", None, 50))[0]) == 20
    assert len(site.db.read(store.search("redis", "Kunming", None, 50))[0]) == 2


def test_a_place_is_found_by_any_of_its_words(site: Site) -> None:
    places = (
        "Berlin, Germany",
        "Sao  Tomé",
        "São Paulo (Brazil)",
        "云南省昆明市",
        "🏝",
        "Remote Isles",
    )
    for uid, place in enumerate(places):
        store.save(site, uid, offer(Skill("Go"), place=place))
    store.save(site, 99, offer(Skill("Go"), place=""))
    for searched, found in (
        ("berlin", "Berlin, Germany"),
        ("GERMANY berlin", "Berlin, Germany"),
        ("berlin paulo", None),
        ("ber", None),
        ("sao tome", "Sao  Tomé"),
        ("PAÚLO", "São Paulo (Brazil)"),
        ("昆明", "云南省昆明市"),
        ("remote isles", "Remote Isles"),
        ("🏝", None),
    ):
        ids, _ = site.db.read(store.search("go", searched, None, 50))
        jobs = [site.db.read(store.get(one)) for one in ids]
        assert [job.offer.place for job in jobs if job] == ["", *([found] if found else [])], (
            searched
        )


def test_offers_of_an_older_version_are_found_by_their_whole_place(site: Site) -> None:
    job_id = store.save(site, 1, offer(Skill("Go"), place=""))
    key, place = keys.job(job_id), "berlin, germany"
    site.db.trip(
        ("HSET", key, "place", "Berlin, Germany", "place_key", place, "remote", ""),
        ("SADD", keys.job_places(place), job_id),
        ("SREM", keys.job_places("remote"), job_id),
    )
    assert site.db.read(store.search("", "Berlin,  GERMANY", None, 9))[0] == [job_id]
    assert site.db.read(store.search("", "berlin", None, 9))[0] == []
    store.save(site, 1, offer(Skill("Go"), place="Bonn"), job_id)
    assert site.db.read(store.search("", "Berlin, Germany", None, 9))[0] == []
    assert site.db.run(("EXISTS", keys.job_places(place))) == 0


def test_the_same_offer_sent_fifty_times_at_once_is_one_and_limits_hold(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = concurrently(lambda _: store.save(site, 1, offer(Skill("Go"))), 50)
    assert len(set(sent)) == 1
    for changed in (offer(Skill("Go", 2)), offer(Skill("Go"), place="Bonn")):
        job_id = store.save(site, 1, changed)
        job = site.db.read(store.get(job_id))
        assert job_id not in sent and job and job.offer == changed
        store.close(site, 1, job_id)
    monkeypatch.setattr(store, "OWN_JOBS_MAX", 1)
    with pytest.raises(Conflict, match="own_jobs_full"):
        store.save(site, 1, offer(Skill("Lua"), title="Another"))
    monkeypatch.setattr(store, "JOBS_MAX", 1)
    with pytest.raises(Conflict):
        store.save(site, 2, offer(Skill("Lua")))
    monkeypatch.setattr(store, "CANDIDATES_MAX", 1)
    store.save_skills(site, 1, Candidate((Skill("Go"),), shown=True))
    store.save_skills(site, 1, Candidate((Skill("Lua"),), shown=True))
    with pytest.raises(Conflict):
        store.save_skills(site, 2, Candidate((Skill("Go"),), shown=True))
    assert site.db.read(store.candidate_of(2)) == Candidate()


def test_offers_end_and_go_with_their_authors(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    job_id = store.save(world, ann, offer(Skill("Go")))
    store.save_skills(world, ann, Candidate((Skill("Go"),), shown=True))
    world.do(World.delete_account, ann, None)
    assert world.db.read(store.get(job_id)) is None
    assert [key for key in live_keys(world.db) if "{jobs}" in key] == []
    job_id = store.save(world, 2, offer(Skill("Go")))
    assert work.end_offers(world) == 0 and world.db.read(store.get(job_id))
    later = datetime.now(UTC) + timedelta(days=store.JOB_DAYS, seconds=1)

    class Later(datetime):
        """The clock when the offer has ended."""

        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return later

    monkeypatch.setattr(work, "datetime", Later)
    assert work.end_offers(world) == 1
    assert world.db.run(("EXISTS", keys.job(job_id), keys.open_jobs())) == 0
