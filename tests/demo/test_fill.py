"""A store filled by `linnet demo` is complete, and reads like a used one."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from click.testing import CliRunner

from tests.autocomplete.people import suggested, suggested_tags
from tests.conftest import BASE, make_app
from tests.support.demo import SMALL, TINY, filled, silent
from tests.support.engines import SELECTED, start_server
from tests.support.schema import check_schema
from tests.support.settings import with_settings
from tests.support.timelines import home_timeline
from tests.support.world import OnSite
from webapp.accounts import keys as account_keys
from webapp.accounts.registration import sign_up
from webapp.accounts.store import get_by_login
from webapp.admin.verify.checking import check_all, still_wrong
from webapp.cli import main
from webapp.config import Config, load
from webapp.core.i18n.language_detection import detect
from webapp.core.store import PARTITIONS, Db, Site, created_at, partition_of
from webapp.core.store.connection import connect
from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import parse, tag_names
from webapp.demo.acts.act import Post
from webapp.demo.acts.ids import with_free_ids
from webapp.demo.acts.post_acts import Write
from webapp.demo.fill import Filled, fill
from webapp.demo.walk.walk_members import MEMBERS_MIN
from webapp.following import keys as following_keys
from webapp.statuses import Status, keys as status_keys, store as statuses_store
from webapp.statuses.items import members_shown
from webapp.timelines import keys as timeline_keys, store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


@dataclass
class Demo(OnSite):
    """A filled store that tests share: they change no content. Few statuses fit under a hashtag."""

    db: Db
    config: Config
    filled: Filled


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """A filled store."""
    folder = tmp_path_factory.mktemp("demo")
    with start_server(folder, SELECTED) as url:
        values = {"redis_url": url, "media_dir": str(folder / "media"), "tagged_max": 2}
        config = load({**BASE, **values}, {})
        db = connect(config)
        yield Demo(db, config, fill(Site(db, config), SMALL, False, silent))
        check_schema(db)
        db.close()


@pytest.fixture
def config(settings: Config) -> Config:
    """One server: on a Cluster, `test_acts.py` compares the whole store with each act's writes."""
    return settings


def test_a_filled_store_reads_like_a_used_one(demo: Demo) -> None:
    db, config = demo.db, replace(demo.config, page_size=20)
    member = get_by_login(db, demo.filled.featured.login)
    page = home_timeline(Site(db, config), member.uid)
    followed = set(map(int, db.run(("ZRANGE", following_keys.following(member.uid), 0, -1)))) | {
        member.uid
    }
    assert len(page.items) == 20
    assert all(members_shown(item)[0].uid in followed for item in page.items)
    posts = sum(db.trip(*(("ZCARD", status_keys.profile_statuses(uid)) for uid in followed)))
    assert db.run(("ZCARD", account_keys.home(member.uid))) > posts  # and boosts and replies
    assert suggested(db, member.uid, "") and suggested_tags(db, member.uid, "b")
    newest = timelines.public(Site(db, config)).items
    assert len(newest) == 20
    ids = [status.id for status in newest]
    assert ids == sorted(ids, reverse=True)
    assert all(partition_of(status.id) == partition_of(status.author.uid) for status in newest)
    assert all(status.entities == parse(status.text).entities for status in newest)
    assert all(status.author.joined <= created_at(status.id) for status in newest)


def test_counts_on_profiles_are_exact(demo: Demo) -> None:
    db = demo.db
    uids = range(1, SMALL.members + 1)
    follows = {
        (uid, int(other))
        for uid in uids
        for other in db.run(("ZRANGE", following_keys.following(uid), 0, -1))
    }
    mirrored = {
        (int(other), uid)
        for uid in uids
        for other in db.run(("ZRANGE", following_keys.followers(uid), 0, -1))
    }
    assert follows == mirrored and len(follows) > SMALL.members
    total = posts = 0
    for uid in uids:
        login = db.run(("HGET", account_keys.user(uid), "login"))
        profile = profile_page(Site(db, demo.config), ProfileQuery(login)).profile
        assert profile.followers == sum(target == uid for _, target in follows)
        total += profile.statuses
        posts += db.run(("ZCARD", status_keys.profile_statuses(uid)))
    assert total == SMALL.statuses
    assert posts == db.run(("ZCARD", timeline_keys.public_timeline())) < total


def test_all_that_is_stored_agrees_with_itself(demo: Demo) -> None:
    site = Site(demo.db, demo.config)
    found = [one for _, each in check_all(site, share=1) for one in each]
    assert [one.fault.text for one in still_wrong(site, found)] == []


def test_the_next_status_is_newer_than_all_demo_statuses(db: Db, media: Config) -> None:
    featured = filled(Site(db, media))
    newest = timelines.public(Site(db, media)).items[0].id
    posted = statuses_store.post(
        Site(db, media), get_by_login(db, featured.login).uid, parse("Here now."), "form"
    )
    assert posted > newest
    before = db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(64)))
    filled(Site(db, media), add=True)
    after = db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(64)))
    assert all(int(new or 0) >= int(old or 0) for old, new in zip(before, after, strict=True))


def test_statuses_are_under_their_hashtags(demo: Demo) -> None:
    site = demo.site
    tagged: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for status in posted_statuses(site):
        for name in tag_names(status.entities):
            tagged[name].append((status.id, status.author.uid))
            index = timeline_keys.tag_index(status.author.uid)
            assert site.db.run(("ZSCORE", index, f"{status.id}:{name}")) is not None
    assert len(tagged) > 10 and max(map(len, tagged.values())) > site.config.tagged_max
    for name, entries in tagged.items():
        newest = timelines.tagged(site, name).items
        assert [(one.id, one.author.uid) for one in newest] == sorted(entries, reverse=True)[:2]


def test_statuses_have_the_language_of_their_text(demo: Demo) -> None:
    statuses = posted_statuses(demo.site)
    assert all(one.lang == detect(one.text, one.entities) for one in statuses)
    languages = Counter(one.lang for one in statuses)
    assert languages["en"] + languages["zh"] > 0.85 * len(statuses) and languages["zh"] > 10


def posted_statuses(site: Site) -> list[Status]:
    return list(timelines.public(with_settings(site, page_size=SMALL.statuses)).items)


def test_another_community_has_times_of_its_own_though_the_store_has_later_ids(
    db: Db, media: Config
) -> None:
    for add in (False, True):
        world = fill(Site(db, media), SMALL, add, silent).world
        times = [int(created_at(one).timestamp() * 1000) for one in world.posts.values()]
        assert times == sorted(times) and SMALL.start <= times[0] and times[-1] < SMALL.now
        assert len({time // 3_600_000 for time in times}) > 60
    last_ids = db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(PARTITIONS)))
    for status_id in world.posts.values():
        assert int(last_ids[partition_of(status_id)] or 0) >= status_id


def test_a_post_never_gets_the_id_of_another(demo: Demo) -> None:
    db, first = demo.db, demo.filled.world
    number, status_id = next(iter(first.posts.items()))
    write = Write(SMALL.now, 0, number, Post(0, SMALL.now, "Hi.", "en"))
    at_ms = (status_id >> 12) + EPOCH_MS
    taken = replace(write, at_ms=at_ms, member=partition_of(status_id) - first.first_uid)
    free = with_free_ids(db, first, [taken, replace(taken, at_ms=at_ms + 5)])
    assert [act.at_ms for act in free] == [at_ms - 1, at_ms + 4]


def test_acts_that_the_settings_have_no_room_for_are_left_out(db: Db, media: Config) -> None:
    limits = {"pinned_max": 0, "lists_max": 0, "bookmarks_max": 1, "following_max": 2}
    world = fill(Site(db, replace(media, **limits)), SMALL, False, silent).world
    uids = range(world.first_uid, world.first_uid + SMALL.members)
    followed = db.trip(*(("ZCARD", following_keys.following(uid)) for uid in uids))
    assert max(followed) == 2 and len(world.posts) == SMALL.statuses


def test_another_community_needs_the_add_option(db: Db, media: Config) -> None:
    sign_up(Site(db, media), "wren", "Wren", "correct horse battery")
    with pytest.raises(Exception, match="--add"):
        filled(Site(db, media))
    assert db.run(("GET", account_keys.last_uid())) == "1"
    filled(Site(db, media), add=True)
    filled(Site(db, media), add=True)
    assert db.run(("GET", account_keys.last_uid())) == str(1 + 2 * TINY.members)
    logins = db.trip(
        *(("HGET", account_keys.user(uid), "login") for uid in range(1, 2 + 2 * TINY.members))
    )
    assert all(logins) and len({login.lower() for login in logins}) == len(logins)
    claims = db.trip(*(("GET", account_keys.login(login)) for login in logins))
    assert [int(claim.split(":")[0]) for claim in claims] == list(range(1, 2 + 2 * TINY.members))


def test_a_fill_leaves_existing_statuses_unchanged(db: Db, media: Config, people: Any) -> None:
    (uid,) = people("wren")
    status_id = statuses_store.post(Site(db, media), uid, parse("Mine."), "form")
    filled(Site(db, media), add=True)
    assert statuses_store.get(db, status_id).text == "Mine."


def test_only_the_printed_member_has_a_password(demo: Demo) -> None:
    db, featured = demo.db, demo.filled.featured
    app = make_app(demo.config)
    client = app.test_client()
    form = {"login": featured.login, "password": featured.password}
    assert client.post("/login", data=form).status_code == 303
    assert featured.name in client.get(f"/@{featured.login}").get_data(as_text=True)
    uids = range(1, SMALL.members + 1)
    assert sum(db.trip(*(("EXISTS", account_keys.password(uid)) for uid in uids))) == 1
    app.extensions["linnet.db"].close()


def test_the_command_fills_once_and_then_refuses(
    settings: Config, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MEDIA_DIR", str(tmp_path_factory.mktemp("media")))
    monkeypatch.setenv("SITE_URL", "https://linnet.example/")
    options = ["demo", "--members", str(MEMBERS_MIN), "--statuses", "30", "--days", "5"]
    first = CliRunner().invoke(main, options)
    assert first.exit_code == 0 and re.search(r"login +\w+\n +password +\S{12}\n", first.output)
    assert re.search(r"\nPolls\n  https://linnet\.example/@\w+/\d+ +your poll", first.output)
    again = CliRunner().invoke(main, options)
    assert again.exit_code == 1 and "--add" in again.output and again.output.count("\n") == 1


def test_a_community_too_small_for_the_walk_is_said_to_be(
    settings: Config, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MEDIA_DIR", str(tmp_path_factory.mktemp("media")))
    result = CliRunner().invoke(main, ["demo", "--members", "3", "--statuses", "5"])
    assert result.exit_code == 0 and f"With {MEMBERS_MIN} members" in result.output
