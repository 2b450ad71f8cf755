"""Write members' texts from the phrase books, in each member's own voice, no text twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from webapp.config import BadSetting
from webapp.core.text.parser import Unacceptable, parse

from .people import TOPIC_TRANSLATIONS, Person, Voice
from .phrases import PhraseSection, Sentence, expand, phrase_book
from .rhythm import local_time, time_marks, weekday_name

EVERYDAY = {"en": "everyday", "zh": "日常"}
EVERYDAY_SHARE = 0.22
TRIES = 60
AFTERTHOUGHT_TEXT_MAX = 150  # code points: no afterthought to a longer text
LINK_PATTERN = re.compile(r"https://\S+")
QUESTION_PATTERN = re.compile("[?\uff1f]")


@dataclass(frozen=True, slots=True)
class Written:
    """A text, and the data for answers to it.

    `mood`: "good", "bad", "ask" or "plain". `choices`: the labelled choices that were made.
    `friend`: the login of the member whom it speaks to, "" for none.
    """

    text: str
    language: str
    mood: str
    talks: Sequence[Sequence[str]] = ()
    choices: dict[str, int] = field(default_factory=dict)
    friend: str = ""


class Writer:
    """Writes texts. A sentence comes back as late as possible, a whole text never."""

    def __init__(
        self, rng: Random, persons: Sequence[Person], followed: Sequence[Sequence[int]]
    ) -> None:
        self._rng = rng
        self._persons = persons
        self._followed = followed
        self._texts: set[str] = set()
        self._uses: Counter[str] = Counter()  # sentence → times
        self._uses_by_author: Counter[tuple[int, str]] = Counter()

    def write(self, author: int, at_ms: int) -> Written:
        """Return a text for an author at a time in unix ms.

        Raises BadSetting if the phrase books are exhausted.
        """
        person = self._persons[author]
        moment = local_time(person, at_ms)
        for attempt in range(TRIES):
            language = self._rng.choice(person.languages)
            topic = self._topic(person, language)
            friend = self._friend(author, language, topic.name)
            sentence = self._sentence(author, topic, time_marks(moment), friend)
            slots = {
                "friend": f"@{friend}",
                "link": self._link(person, topic),
                "today": weekday_name(moment, language),
            }
            choices: dict[str, int] = {}
            text = self._text(person, language, topic, sentence, slots, choices, attempt / 20)
            if self.is_new(text):
                break
        else:
            raise BadSetting(
                "The phrase books are exhausted. Ask for fewer --statuses, or for more --members."
            )
        self.note(text)
        self._uses[sentence.text] += 1
        self._uses_by_author[author, sentence.text] += 1
        mood = "ask" if QUESTION_PATTERN.search(text) else sentence.mood or "plain"
        spoken_to = friend if "{friend}" in sentence.text else ""
        return Written(text, language, mood, sentence.talks, choices, spoken_to)

    def is_new(self, text: str) -> bool:
        """Return True if nobody has written a text like this, and it can be posted."""
        return text.casefold() not in self._texts and _is_postable(text)

    def note(self, text: str) -> None:
        """Note that a text is written."""
        self._texts.add(text.casefold())

    def _topic(self, person: Person, language: str) -> PhraseSection:
        if self._rng.random() < EVERYDAY_SHARE:
            return phrase_book(language)[EVERYDAY[language]]
        # The first topics are preferred.
        weights = [1 / (rank + 1.5) for rank in range(len(person.topics))]
        (name,) = self._rng.choices(person.topics, weights)
        return phrase_book(language)[TOPIC_TRANSLATIONS[name] if language == "zh" else name]

    def _friend(self, author: int, language: str, topic: str) -> str:
        """Return the login of a followed member who reads the language, "" if there is none.

        Members with the same topic are preferred.
        """
        readers = [
            self._persons[j]
            for j in self._followed[author]
            if language in self._persons[j].languages
        ]
        like_minded = [
            other
            for other in readers
            if topic in other.topics or topic in map(TOPIC_TRANSLATIONS.get, other.topics)
        ]
        candidates = like_minded or readers
        return self._rng.choice(candidates).login if candidates else ""

    def _sentence(
        self, author: int, topic: PhraseSection, marks_now: set[str], friend: str
    ) -> Sentence:
        """Return a sentence that was used least, above all by this author."""
        fitting = [
            s
            for s in topic.sentences
            if s.times <= marks_now and (friend or "{friend}" not in s.text)
        ]

        def use_score(sentence: Sentence) -> float:
            text = sentence.text
            return (
                self._uses[text] + 4 * self._uses_by_author[author, text] + self._rng.random() * 3
            )

        return min(fitting, key=use_score)

    def _link(self, person: Person, topic: PhraseSection) -> str:
        page = self._rng.choice(topic.links or ["notes"])
        number = self._rng.choice(("", f"-{self._rng.randint(2, 40)}"))
        return f"https://example.org/{person.login}/{page}{number}"

    def _text(
        self,
        person: Person,
        language: str,
        topic: PhraseSection,
        sentence: Sentence,
        slots: dict[str, str],
        choices: dict[str, int],
        extra_chance: float,
    ) -> str:
        """Expand a sentence in the author's voice. `extra_chance` is of an afterthought."""
        rng, voice = self._rng, person.voice
        text = expand(sentence.text, rng, slots, choices)
        text = apply_voice(text, language, sentence.mood, voice, rng)
        if len(text) < AFTERTHOUGHT_TEXT_MAX and rng.random() < voice.afterthought + extra_chance:
            text = self._with_afterthought(text, language, sentence.mood, voice, slots)
        if rng.random() < voice.emoji and topic.emoji and ord(text[-1]) < 0x1F000:
            text += f" {rng.choice(topic.emoji)}"
        if "#" not in text and rng.random() < voice.tags:
            tags = _tags(rng, topic)
            text += ("\n\n" if voice.separate_lines and len(tags) > 1 else " ") + " ".join(
                f"#{tag}" for tag in tags
            )
        return text

    def _with_afterthought(
        self, text: str, language: str, mood: str, voice: Voice, slots: dict[str, str]
    ) -> str:
        rng = self._rng
        kind = "ask" if text[-1] in "?\uff1f" else mood or "plain"
        afterthought = expand(
            rng.choice(phrase_book(language)[f"tails {kind}"].sentences).text, rng, slots
        )
        afterthought = afterthought.lower() if voice.lowercase else afterthought
        if LINK_PATTERN.search(text.split()[-1]):
            return f"{text}\n\n{afterthought}"
        if text[-1] not in ".!?\u2026\u3002\uff01\uff1f)\uff09:\u201d":
            text += {"en": ".", "zh": "。"}[language] if text[-1].isalnum() else ""
        if voice.separate_lines and rng.random() < 0.6:
            return f"{text}\n\n{afterthought}" if language == "en" else f"{text}\n{afterthought}"
        return f"{text} {afterthought}" if language == "en" else text + afterthought


def apply_voice(text: str, language: str, mood: str, voice: Voice, rng: Random) -> str:
    """Return the text with the author's capitals and punctuation."""
    if voice.lowercase and language == "en" and not LINK_PATTERN.search(text):
        text = text.lower()
    if (
        mood == "good"
        and text.endswith((".", "。"))
        and not text.endswith("..")
        and rng.random() < 0.15
    ):
        return text[:-1] + ("!" if language == "en" else "\uff01")
    if voice.no_full_stop and text.endswith((".", "。")) and not text.endswith(".."):
        return text[:-1]
    return text


def _tags(rng: Random, topic: PhraseSection) -> list[str]:
    """Return one or two of the topic's tags. The first are preferred."""
    weights = [1 / (rank + 1) ** 1.3 for rank in range(len(topic.tags))]
    first = rng.choices(topic.tags, weights)
    second = rng.choices(topic.tags, weights) if rng.random() < 0.2 else []
    return list(dict.fromkeys(first + second))


def _is_postable(text: str) -> bool:
    try:
        return parse(text).text == text
    except Unacceptable:
        return False
