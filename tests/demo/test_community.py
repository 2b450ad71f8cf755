"""The community of `linnet demo` is plausible and reproducible."""

import re
from collections import Counter
from dataclasses import replace
from itertools import chain
from random import Random

import pytest

from webapp.accounts.forms import RESERVED_LOGINS
from webapp.accounts.store import LOGIN_PATTERN
from webapp.config import BadSetting, Config
from webapp.core.text.parser import parse
from webapp.demo import writing
from webapp.demo.acts.act import Post
from webapp.demo.community import Community, Plan, generate_community, plan_people
from webapp.demo.names import birds
from webapp.demo.phrases import expand, phrase_book
from webapp.demo.pictures.portraits import draw_avatar, draw_header
from webapp.demo.plan.extras import extra_lines
from webapp.demo.rhythm import local_time, weekday_name

NOW = 1_800_000_000_000
STRAY = re.compile(r"[{}|\\]|\d=|\.\.\d|@(?!\w)|  ")


def originals(community: Community) -> list[Post]:
    """Return the posts that neither reply nor quote."""
    return [post for post in community.posts if post.reply_to is None and post.quote is None]


@pytest.fixture(scope="module")
def community() -> Community:
    """Return a community of the default size."""
    plan = Plan("1", NOW)
    return generate_community(plan, plan_people(plan))


def test_the_same_seed_and_time_give_the_same_community() -> None:
    plan = Plan("1", NOW, members=100, statuses=1_500)
    community = generate_community(plan, plan_people(plan))
    assert generate_community(plan, plan_people(plan)) == community
    other = replace(plan, seed="2")
    assert generate_community(other, plan_people(other)).posts[:50] != community.posts[:50]


def test_texts_are_unique_and_valid(community: Community) -> None:
    assert len(community.posts) == 3_000
    texts = [post.text.casefold() for post in originals(community)]
    assert len(texts) > 1_700 and len(set(texts)) == len(texts)
    for post in community.posts:
        assert parse(post.text).text == post.text
        assert not STRAY.search(post.text), post.text


def test_texts_vary_in_length_and_have_tags_mentions_links_and_lines(community: Community) -> None:
    kinds = Counter(entity.kind for post in community.posts for entity in parse(post.text).entities)
    assert min(kinds["hashtag"], kinds["mention"], kinds["url"]) > 80
    assert kinds["url"] == sum("https://" in post.text for post in community.posts)
    lengths = [len(post.text) for post in community.posts]
    assert min(lengths) < 20 and max(lengths) > 220
    assert sum("\n" in post.text for post in community.posts) > 50


def test_too_many_statuses_for_the_phrase_books_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing, "TRIES", 1)
    plan = Plan("1", NOW, members=2, statuses=3_000)
    with pytest.raises(BadSetting, match="--statuses"):
        generate_community(plan, plan_people(plan))


def test_mentioned_members_are_followed(community: Community) -> None:
    follows = {
        (community.people[follow.follower].login, community.people[follow.target].login)
        for follow in community.follows
    }
    for post in community.posts:
        for entity in parse(post.text).entities:
            if entity.kind == "mention":
                assert (community.people[post.author].login, entity.text) in follows


def test_sentences_are_not_repeated_soon(community: Community) -> None:
    starts = [post.text[:18] for post in originals(community)]
    for start in range(0, len(starts) - 30, 30):
        assert Counter(starts[start : start + 30]).most_common(1)[0][1] <= 3


def test_named_weekdays_are_those_of_the_status(community: Community) -> None:
    naming_a_day = [post for post in community.posts if re.match(r"(?i)only \w+day\?", post.text)]
    assert naming_a_day
    for post in naming_a_day:
        found = weekday_name(local_time(community.people[post.author], post.at_ms), "en").lower()
        assert found in post.text.lower()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_of_the_phrase_books_is_valid(language: str) -> None:
    rng = Random(1)
    slots = {
        "friend": "@grey_wagtail_12",
        "link": "https://example.org/grey_wagtail_12/page",
        "today": "Thursday",
    }
    lines = [line for lines in extra_lines(language).values() for line in lines]
    for topic in phrase_book(language).values():
        for sentence in topic.sentences:
            lines += [sentence.text, *chain(*sentence.talks)]
    for line in lines:
        for _ in range(20):
            for text in re.split(r" // | \| ", expand(line, rng, slots)):
                assert parse(text).text == text and not STRAY.search(text), text


def test_the_lines_of_a_talk_make_the_same_choices() -> None:
    for language in ("en", "zh"):
        for topic in phrase_book(language).values():
            for talk in chain(*(sentence.talks for sentence in topic.sentences)):
                counts = {line[line.index("{9=") :].count("|") for line in talk if "{9=" in line}
                assert len(counts) <= 1, talk


def test_followers_and_statuses_are_unevenly_distributed(community: Community) -> None:
    followers = sorted(
        Counter(follow.target for follow in community.follows).values(), reverse=True
    )
    written = sorted(Counter(post.author for post in community.posts).values(), reverse=True)
    assert sum(followers[:30]) > 0.27 * sum(followers)
    assert sum(written[:30]) > 0.27 * sum(written)


def test_members_are_birds_with_unique_logins(community: Community) -> None:
    logins = [person.login for person in community.people]
    assert len({login.lower() for login in logins}) == len(logins) == 300
    assert all(LOGIN_PATTERN.match(login) and login not in RESERVED_LOGINS for login in logins)
    names = {name for language in ("en", "zh") for _, name in birds(language)}
    assert {person.name for person in community.people} <= names
    found = Counter(person.languages for person in community.people)
    assert found == {("en",): 180, ("zh",): 100, ("en", "zh"): 20}
    for language in ("en", "zh"):
        listed = birds(language)
        assert len(set(listed)) == len({login for login, _ in listed}) == len(listed)


def test_profiles_are_within_their_limits(community: Community) -> None:
    config = Config()
    for person in community.people:
        assert len(person.bio) <= config.bio_max and len(person.place) <= config.location_max
        assert len(person.website) <= config.website_max and not STRAY.search(person.bio)


def test_statuses_and_follows_are_between_joining_and_now(community: Community) -> None:
    for post in community.posts:
        assert community.people[post.author].joined <= post.at_ms < NOW
    for follow in community.follows:
        joined = max(
            community.people[follow.follower].joined, community.people[follow.target].joined
        )
        assert joined <= follow.at_ms < NOW
    assert NOW - community.posts[-1].at_ms < 2 * 60_000
    assert NOW - community.posts[0].at_ms > 50 * 86_400_000


def test_the_featured_member_follows_some_and_is_followed_by_many(community: Community) -> None:
    featured = community.featured_index
    assert 32 <= sum(follow.follower == featured for follow in community.follows) <= 56
    assert sum(follow.target == featured for follow in community.follows) > 90


@pytest.mark.parametrize("name", ["Wren", "Tawny Owl", "Mallard", "白鹭"])
def test_pictures_depend_only_on_the_login(name: str) -> None:
    first, again, other = (draw_avatar(login, name).tobytes() for login in ("a", "a", "b"))
    assert first == again != other
    assert draw_avatar("a", name).size == (400, 400) and draw_header("a", name).size == (1500, 500)
