"""`linnet demo`: a made-up community reads like people, is the same for the same seed, and is whole in the store."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from tests.support.timelines import home_timeline
from webapp.accounts import keys as account_keys
from webapp.accounts.forms import RESERVED_LOGINS
from webapp.accounts.registration import sign_up
from webapp.accounts.store import LOGIN_PATTERN, get_by_login
from webapp.cli import main
from webapp.config import BadSetting, Config
from webapp.core.store.client import Db
from webapp.core.store.ids import created_at, partition_of
from webapp.core.text.parser import parse
from webapp.demo import writing
from webapp.demo.community import Community, Plan, generate_community, plan_people
from webapp.demo.fill import FeaturedMember, fill, now_ms
from webapp.demo.people import birds
from webapp.demo.phrases import expand, phrase_book
from webapp.demo.portraits import draw_avatar, draw_header
from webapp.demo.rhythm import local_time, weekday_name
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses_store
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

NOW = 1_800_000_000_000
SMALL = Plan("1", NOW, members=6, statuses=150, days=20)
STRAY = re.compile(r"[{}|\\]|\d=|\.\.\d|@(?!\w)|  ")


@pytest.fixture(scope="module")
def whole() -> Community:
    plan = Plan("1", NOW)
    return generate_community(plan, plan_people(plan))


@contextmanager
def silent(_: str, parts: Sequence[Any]) -> Iterator[Iterator[Any]]:
    yield iter(parts)


def filled(db: Db, config: Config, add: bool = False) -> FeaturedMember:
    return fill(db, config, replace(SMALL, now=now_ms()), add, silent)


@pytest.fixture
def media(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Config:
    return replace(config, media_dir=str(tmp_path_factory.mktemp("media")))


def test_the_same_seed_and_time_make_the_same_community() -> None:
    plan = Plan("1", NOW, members=100, statuses=1_500)
    whole = generate_community(plan, plan_people(plan))
    assert generate_community(plan, plan_people(plan)) == whole
    other = replace(plan, seed="2")
    assert generate_community(other, plan_people(other)).posts[:50] != whole.posts[:50]


def test_no_text_comes_twice_and_all_are_acceptable_as_they_are(whole: Community) -> None:
    assert len(whole.posts) == 6_000
    assert len({post.text.casefold() for post in whole.posts}) == 6_000
    for post in whole.posts:
        assert parse(post.text).text == post.text
        assert not STRAY.search(post.text), post.text


def test_texts_are_of_every_length_and_hold_tags_mentions_links_and_lines(whole: Community) -> None:
    kinds = Counter(entity.kind for post in whole.posts for entity in parse(post.text).entities)
    assert min(kinds["hashtag"], kinds["mention"], kinds["url"]) > 200
    assert kinds["url"] == sum("https://" in post.text for post in whole.posts)
    lengths = [len(post.text) for post in whole.posts]
    assert min(lengths) < 20 and max(lengths) > 220
    assert sum("\n" in post.text for post in whole.posts) > 100


def test_who_asks_for_more_than_the_books_hold_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "TRIES", 1)
    plan = Plan("1", NOW, members=2, statuses=3_000)
    with pytest.raises(BadSetting, match="--statuses"):
        generate_community(plan, plan_people(plan))


def test_who_is_mentioned_is_followed(whole: Community) -> None:
    follows = {
        (whole.people[f.follower].login, whole.people[f.target].login) for f in whole.follows
    }
    for post in whole.posts:
        for entity in parse(post.text).entities:
            if entity.kind == "mention":
                assert (whole.people[post.author].login, entity.text) in follows


def test_sentences_come_back_late(whole: Community) -> None:
    starts = [post.text[:18] for post in whole.posts]
    for at in range(0, len(starts) - 30, 30):
        assert Counter(starts[at : at + 30]).most_common(1)[0][1] <= 3


def test_the_day_of_the_week_is_the_day_it_is(whole: Community) -> None:
    named = [post for post in whole.posts if re.match(r"(?i)only \w+day\?", post.text)]
    assert named
    for post in named:
        assert (
            weekday_name(local_time(whole.people[post.author], post.at_ms), "en").lower()
            in post.text.lower()
        )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_of_the_books_can_be_said(language: str) -> None:
    rng = Random(1)
    slots = {
        "friend": "@grey_wagtail_12",
        "link": "https://example.org/grey_wagtail_12/page",
        "today": "Thursday",
    }
    for topic in phrase_book(language).values():
        for sentence in topic.sentences:
            for _ in range(20):
                said = expand(sentence.text, rng, slots)
                assert parse(said).text == said and not STRAY.search(said), said


def test_a_few_are_followed_by_many_and_a_few_write_much(whole: Community) -> None:
    followers = sorted(Counter(follow.target for follow in whole.follows).values(), reverse=True)
    written = sorted(Counter(post.author for post in whole.posts).values(), reverse=True)
    assert sum(followers[:30]) > 0.27 * sum(followers)
    assert sum(written[:30]) > 0.27 * sum(written)
    assert len({follow.at_us for follow in whole.follows}) == len(whole.follows)


def test_members_are_birds_with_logins_of_their_own(whole: Community) -> None:
    logins = [person.login for person in whole.people]
    assert len({login.lower() for login in logins}) == len(logins) == 300
    assert all(LOGIN_PATTERN.match(login) and login not in RESERVED_LOGINS for login in logins)
    names = {name for language in ("en", "zh") for _, name in birds(language)}
    assert {person.name for person in whole.people} <= names
    assert Counter(person.languages for person in whole.people) == {
        ("en",): 180,
        ("zh",): 100,
        ("en", "zh"): 20,
    }
    for language in ("en", "zh"):
        assert (
            len(set(birds(language)))
            == len({login for login, _ in birds(language)})
            == len(birds(language))
        )


def test_what_members_say_of_themselves_fits(whole: Community) -> None:
    config = Config()
    for person in whole.people:
        assert len(person.bio) <= config.bio_max and len(person.place) <= config.location_max
        assert len(person.website) <= config.website_max and not STRAY.search(person.bio)


def test_nobody_writes_or_follows_before_they_came_or_after_now(whole: Community) -> None:
    for post in whole.posts:
        assert whole.people[post.author].joined <= post.at_ms < NOW
    for follow in whole.follows:
        joined = max(whole.people[follow.follower].joined, whole.people[follow.target].joined)
        assert joined * 1000 <= follow.at_us < NOW * 1000
    assert NOW - whole.posts[-1].at_ms < 2 * 60_000
    assert NOW - whole.posts[0].at_ms > 50 * 86_400_000


def test_the_member_to_sign_in_as_follows_some_and_is_followed_by_many(whole: Community) -> None:
    shown = whole.featured_index
    assert 32 <= sum(follow.follower == shown for follow in whole.follows) <= 56
    assert sum(follow.target == shown for follow in whole.follows) > 90


@pytest.mark.parametrize("name", ["Wren", "Tawny Owl", "Mallard", "白鹭"])
def test_pictures_are_the_same_for_the_same_login(name: str) -> None:
    assert (
        draw_avatar("a", name).tobytes()
        == draw_avatar("a", name).tobytes()
        != draw_avatar("b", name).tobytes()
    )
    assert draw_avatar("a", name).size == (400, 400) and draw_header("a", name).size == (1500, 500)


def test_a_filled_store_reads_as_if_its_members_had_lived_there(db: Db, media: Config) -> None:
    config = replace(media, page_size=20)
    shown = filled(db, config)
    member = get_by_login(db, shown.login)
    page = home_timeline(db, config, member.uid)
    followed = set(map(int, db.run(("ZRANGE", following_keys.following(member.uid), 0, -1)))) | {
        member.uid
    }
    assert len(page.items) == 20 and {status.author.uid for status in page.items} <= followed
    assert db.run(("ZCARD", timeline_keys.home(member.uid))) == sum(
        db.trip(*(("ZCARD", status_keys.profile_statuses(u)) for u in followed))
    )
    newest = timelines.public(db, config).items
    assert len(newest) == 20 and [s.id for s in newest] == sorted(
        (s.id for s in newest), reverse=True
    )
    assert all(partition_of(status.id) == partition_of(status.author.uid) for status in newest)
    assert all(status.entities == parse(status.text).entities for status in newest)
    assert all(status.author.joined <= created_at(status.id) for status in newest)


def test_counts_on_profiles_are_exact(db: Db, media: Config) -> None:
    filled(db, media)
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
    statuses = 0
    for uid in uids:
        profile = profile_page(
            db, media, db.run(("HGET", account_keys.user(uid), "login")), None
        ).profile
        assert profile.followers == sum(target == uid for _, target in follows)
        statuses += profile.statuses
    assert statuses == SMALL.statuses == db.run(("ZCARD", timeline_keys.public_timeline()))


def test_the_next_status_comes_after_all_that_were_written(db: Db, media: Config) -> None:
    shown = filled(db, media)
    newest = timelines.public(db, media).items[0].id
    posted = statuses_store.post(
        db, media, get_by_login(db, shown.login).uid, parse("Here now."), "form"
    )
    assert posted > newest
    ahead = db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(64)))
    filled(db, media, add=True)
    after = db.trip(*(("GET", status_keys.last_status_id(p)) for p in range(64)))
    assert all(int(b or 0) >= int(a or 0) for a, b in zip(ahead, after, strict=True))


def test_another_community_is_added_only_when_asked_for(db: Db, media: Config) -> None:
    sign_up(db, media, "wren", "Wren", "correct horse battery")
    with pytest.raises(Exception, match="--add"):
        filled(db, media)
    assert db.run(("GET", account_keys.last_uid())) == "1"
    filled(db, media, add=True)
    filled(db, media, add=True)
    assert db.run(("GET", account_keys.last_uid())) == str(1 + 2 * SMALL.members)
    logins = db.trip(
        *(("HGET", account_keys.user(uid), "login") for uid in range(1, 2 + 2 * SMALL.members))
    )
    assert all(logins) and len({login.lower() for login in logins}) == len(logins)
    claims = db.trip(*(("GET", account_keys.login(login)) for login in logins))
    assert [int(claim.split(":")[0]) for claim in claims] == list(range(1, 2 + 2 * SMALL.members))


def test_a_fill_leaves_statuses_of_others_alone(db: Db, media: Config, people: Any) -> None:
    (uid,) = people("wren")
    mine = statuses_store.post(db, media, uid, parse("Mine."), "form")
    filled(db, media, add=True)
    assert statuses_store.get(db, mine).text == "Mine."


def test_the_printed_member_can_sign_in_and_nobody_else_has_a_password(
    app: Flask, settings: Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    db: Db = app.extensions["linnet.db"]
    folder = str(tmp_path_factory.mktemp("media"))
    shown = filled(db, replace(settings, media_dir=folder))
    client = app.test_client()
    form = {"login": shown.login, "password": shown.password}
    assert client.post("/login", data=form).status_code == 303
    assert shown.name in client.get(f"/@{shown.login}").get_data(as_text=True)
    assert (
        sum(
            db.trip(
                *(("EXISTS", account_keys.password(uid)) for uid in range(1, SMALL.members + 1))
            )
        )
        == 1
    )


def test_the_command_fills_once_and_then_refuses_in_one_line(
    settings: Config, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MEDIA_DIR", str(tmp_path_factory.mktemp("media")))
    options = ["demo", "--members", "10", "--statuses", "30", "--days", "5"]
    first = CliRunner().invoke(main, options)
    assert first.exit_code == 0 and re.search(r"login +\w+\n +password +\S{12}\n", first.output)
    again = CliRunner().invoke(main, options)
    assert again.exit_code == 1 and "--add" in again.output and again.output.count("\n") == 1
