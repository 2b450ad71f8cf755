"""Plan all posts: those that answer nothing, then the replies and quotes that they get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from webapp.demo.acts.act import Post
from webapp.demo.people import Person
from webapp.demo.rhythm import posting_times
from webapp.demo.writing import Writer, Written

from .conversations import Conversations, PlannedPost
from .extras import Extras

REPLY_SHARE, QUOTE_SHARE = 0.36, 0.03  # of all posts


def plan_posts(
    rng: Random,
    persons: Sequence[Person],
    followed: Sequence[Sequence[int]],
    count: int,
    start: int,
    now: int,
) -> list[Post]:
    """Return `count` posts in order of time, from `start` to `now` (unix ms).

    `followed`: for each person, whom they follow. Raises BadSetting if the phrase books are
    exhausted.
    """
    writer, extras = Writer(rng, persons, followed), Extras(rng)
    replies, quotes = int(count * REPLY_SHARE), int(count * QUOTE_SHARE)
    planned: list[PlannedPost] = []

    def write(number: int) -> None:
        times = posting_times(rng, persons, number, start, now)
        planned.extend(_plan_post(rng, persons, writer, extras, *one) for one in times)

    write(count - replies - quotes)
    conversations = Conversations(rng, persons, followed, extras, now)
    planned += conversations.quotes(planned, quotes)
    planned += conversations.replies(planned, replies)
    write(count - len(planned))  # where there was nobody to reply
    return _in_order(planned)


def _plan_post(
    rng: Random,
    persons: Sequence[Person],
    writer: Writer,
    extras: Extras,
    at_ms: int,
    author: int,
) -> PlannedPost:
    """Plan a post that answers nothing."""
    language = rng.choice(persons[author].languages)
    kind = extras.kind()
    if kind and (post := extras.post(kind, author, at_ms, language, writer)):
        return PlannedPost(post, Written(post.text, language, post.mood))
    written = writer.write(author, at_ms)
    return PlannedPost(Post(author, at_ms, written.text, written.language, written.mood), written)


def _in_order(planned: Sequence[PlannedPost]) -> list[Post]:
    """Return the posts in order of time, each at a ms of its own, with references by place."""
    planned = sorted(planned, key=lambda one: one.post.at_ms)
    places = {id(one): place for place, one in enumerate(planned)}
    posts: list[Post] = []
    for one in planned:
        at_ms = max(one.post.at_ms, posts[-1].at_ms + 1) if posts else one.post.at_ms
        reply_to = None if one.parent is None else places[id(one.parent)]
        quote = None if one.quoted is None else places[id(one.quoted)]
        posts.append(replace(one.post, at_ms=at_ms, reply_to=reply_to, quote=quote))
    return posts
