"""Plan replies: their authors, and texts that answer the text before.

A sentence of the phrase books comes with replies of its own, and with its author's answers. Other
posts get replies that suit their mood. A question gets no such reply: it would be no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from random import Random

from webapp.demo.acts.act import Post
from webapp.demo.people import Person
from webapp.demo.phrases import expand
from webapp.demo.writing import Written, apply_voice

from .extras import Extras, extra_lines

MINUTE_MS = 60_000
PAUSE_MINUTES = 11.0  # until a reply: the median
PAUSE_MIN_MS = 15_000
TALK_SHARE = 0.55  # of the replies that a sentence comes with, how many it gets
ANSWER_SHARE = 0.85  # how often the next line of a talk follows
THANKS_SHARE = 0.4
QUOTE_HOURS = 5.0  # until a quote: the mean
ROUNDS = 3  # how often a post may get a reply that suits its mood


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPost:
    """A post before its place is known, and the posts that it replies to and quotes."""

    post: Post
    written: Written
    parent: PlannedPost | None = None
    quoted: PlannedPost | None = None


class Conversations:
    """Plans replies and quotes, up to `now` (unix ms)."""

    def __init__(
        self,
        rng: Random,
        persons: Sequence[Person],
        followed: Sequence[Sequence[int]],
        extras: Extras,
        now: int,
    ) -> None:
        self._rng, self._persons, self._extras, self._now = rng, persons, extras, now
        self._places = {person.login: place for place, person in enumerate(persons)}
        self._followers: list[list[int]] = [[] for _ in persons]
        for follower, targets in enumerate(followed):
            for target in targets:
                self._followers[target].append(follower)
        self._uses: Counter[str] = Counter()

    def quotes(self, planned: Sequence[PlannedPost], count: int) -> list[PlannedPost]:
        """Return `count` quotes at most, each with a comment on a post that says something."""
        quotable = [one for one in planned if f"quotes {one.post.mood}" in extra_lines("en")]
        chosen = self._rng.sample(quotable, min(count, len(quotable)))
        return [quote for origin in chosen if (quote := self._quote(origin))]

    def replies(self, planned: Sequence[PlannedPost], count: int) -> list[PlannedPost]:
        """Return `count` replies at most: first those that belong to a sentence."""
        order = self._rng.sample(list(planned), len(planned))
        rounds = (self._suitable_talk(origin) for _ in range(ROUNDS) for origin in order)
        made: list[PlannedPost] = []
        for talk in chain(map(self._own_talks, order), rounds):
            for reply in talk:
                if len(made) == count:
                    return made
                made.append(reply)
        return made

    def _own_talks(self, origin: PlannedPost) -> Iterator[PlannedPost]:
        """Yield replies that belong to the post's sentence, and the talk that follows each."""
        used_members = {origin.post.author}
        for talk in origin.written.talks:
            line = talk[0]
            if self._rng.random() > TALK_SHARE or self._uses[line] > self._rng.randint(1, 4):
                continue
            other = self._replier(origin, used_members)
            if other is None:
                return
            self._uses[line] += 1
            used_members.add(other)
            yield from self._talk(origin, other, talk)

    def _suitable_talk(self, origin: PlannedPost) -> Iterator[PlannedPost]:
        """Yield a reply that suits the post's mood, if there are such, and maybe thanks."""
        section, language = f"replies {origin.post.mood}", origin.post.language
        if section not in extra_lines(language):
            return
        other = self._replier(origin, {origin.post.author})
        if other is not None:
            lines = [self._extras.line(section, language)]
            if self._rng.random() < THANKS_SHARE:
                lines.append(self._extras.line("thanks", language))
            yield from self._talk(origin, other, lines)

    def _talk(self, origin: PlannedPost, other: int, lines: Sequence[str]) -> Iterator[PlannedPost]:
        """Yield the lines as posts of `other` and the post's author in turn, while there is time.

        Labelled choices are the same in all lines.
        """
        choices, language = dict(origin.written.choices), origin.post.language
        parent = origin
        for turn, line in enumerate(lines):
            author = origin.post.author if turn % 2 else other
            at_ms = self._time_after(parent.post.at_ms)
            if at_ms is None or (turn and self._rng.random() > ANSWER_SHARE):
                return
            text = expand(line, self._rng, {}, choices)
            text = apply_voice(text, language, "", self._persons[author].voice, self._rng)
            reply = Post(author, at_ms, text, language, "reply")
            parent = PlannedPost(reply, Written(text, language, "reply"), parent=parent)
            yield parent

    def _quote(self, origin: PlannedPost) -> PlannedPost | None:
        language = origin.post.language
        author = self._replier(origin, {origin.post.author})
        at_ms = origin.post.at_ms + int(self._rng.expovariate(1 / QUOTE_HOURS) * 60 * MINUTE_MS)
        at_ms += PAUSE_MIN_MS
        if author is None or at_ms >= self._now:
            return None
        line = self._extras.line(f"quotes {origin.post.mood}", language)
        text = expand(line, self._rng, {})
        post = Post(author, at_ms, text, language, "quote")
        return PlannedPost(post, Written(text, language, "quote"), quoted=origin)

    def _replier(self, origin: PlannedPost, excluded: set[int]) -> int | None:
        """Return the replier: the member spoken to, else a follower who reads the language."""
        friend = self._places.get(origin.written.friend)
        friends = [] if friend is None else [friend]
        followers = self._followers[origin.post.author]
        for candidates in (friends, followers, range(len(self._persons))):
            able = [one for one in candidates if self._can_reply(one, origin.post, excluded)]
            if able:
                weights = [self._persons[one].activity for one in able]
                return self._rng.choices(able, weights)[0]
        return None

    def _can_reply(self, member: int, post: Post, excluded: set[int]) -> bool:
        person = self._persons[member]
        return (
            member not in excluded
            and post.language in person.languages
            and person.joined < post.at_ms
        )

    def _time_after(self, at_ms: int) -> int | None:
        """Return when a reply to a post of this time is written; None if that is in the future."""
        pause = self._rng.lognormvariate(log(PAUSE_MINUTES), 1.2) * MINUTE_MS
        pause = min(pause, (self._now - at_ms) / 2)
        return at_ms + int(pause) if pause >= PAUSE_MIN_MS else None
