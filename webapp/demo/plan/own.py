"""Plan members' acts on their own pages: pins, lists, hashtags, bookmarks and drafts.

The featured member does more than others: their pages are those that a visitor can open.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from webapp.demo.acts.act import Act
from webapp.demo.acts.member_acts import FollowTag, MakeList, ReadNotifications
from webapp.demo.acts.post_acts import Bookmark, Pin, SaveDraft
from webapp.demo.community import Community
from webapp.demo.people import TOPIC_TRANSLATIONS, Person
from webapp.demo.phrases import phrase_book

HOUR_MS = 3_600_000
PINNING, LISTING, TAGGING = 0.4, 0.12, 0.35  # how many members do it
LIST_MEMBERS = range(2, 9)
BOOKMARKS = 16  # of the featured member
READ_HOURS = 20  # ago: when the featured member read the notifications
DRAFTS = (
    "Things that the ferry has been late for this year: a wedding, a seal, itself,",
    "Note for later: the marsh sounds different on Sundays, and I would like to know why.",
)
SCHEDULED = "If you read this, I am asleep on the early train. Wave at the 6:12 for me."


def plan_own_pages(rng: Random, community: Community) -> Iterator[Act]:
    """Yield the acts, each with the time before which it does not happen (unix ms)."""
    persons, posts, now = community.people, community.posts, community.now
    featured = community.featured_index
    own_posts: list[list[int]] = [[] for _ in persons]
    for number, post in enumerate(posts):
        if post.reply_to is None:
            own_posts[post.author].append(number)
    for member, person in enumerate(persons):
        is_featured = member == featured
        since = rng.randrange(person.joined, now)
        if own_posts[member] and (is_featured or rng.random() < PINNING):
            number = rng.choice(own_posts[member])
            yield Pin(min(posts[number].at_ms + HOUR_MS, now - 1), member, number)
        if is_featured or rng.random() < LISTING:
            yield from _lists(rng, community, member, since)
        if is_featured or rng.random() < TAGGING:
            for tag in _tags(person):
                yield FollowTag(since, member, tag)
    yield from _of_featured(rng, community, featured)


def _of_featured(rng: Random, community: Community, member: int) -> Iterator[Act]:
    """Yield the acts that only the featured member does."""
    posts, now, followed = community.posts, community.now, community.followed[member]
    readable = [
        number
        for number, post in enumerate(posts)
        if post.author in followed and post.mood != "ask"
    ]
    for number in sorted(rng.sample(readable, min(BOOKMARKS, len(readable)))):
        yield Bookmark(min(posts[number].at_ms + HOUR_MS, now - 1), member, number)
    yield ReadNotifications(now - READ_HOURS * HOUR_MS, member)
    for place, text in enumerate(DRAFTS):
        yield SaveDraft(now - (place + 2) * HOUR_MS, member, f"demo-draft-{place}", text)
    due = datetime.fromtimestamp(now / 1000, UTC) + timedelta(days=2)
    yield SaveDraft(now - HOUR_MS, member, "demo-scheduled", SCHEDULED, due)


def _lists(rng: Random, community: Community, member: int, since: int) -> Iterator[Act]:
    """Yield a list for each of two topics of the member, of those followed who share it."""
    persons, followed = community.people, community.followed[member]
    is_zh = persons[member].languages[-1] == "zh"
    for topic in persons[member].topics[:2]:
        sharing = [one for one in followed if topic in persons[one].topics]
        if len(sharing) >= LIST_MEMBERS.start:
            chosen = rng.sample(sharing, min(rng.choice(LIST_MEMBERS), len(sharing)))
            name = TOPIC_TRANSLATIONS.get(topic, topic) if is_zh else topic.capitalize()
            latest = max(persons[one].joined for one in chosen)
            yield MakeList(max(since, latest + 1), member, name, tuple(chosen), rng.random() < 0.2)


def _tags(person: Person) -> Iterator[str]:
    """Yield the first hashtag of each of a person's first topics, folded."""
    language = person.languages[-1]
    for topic in person.topics[:3]:
        name = TOPIC_TRANSLATIONS[topic] if language == "zh" else topic
        yield phrase_book(language)[name].tags[0].lower()
