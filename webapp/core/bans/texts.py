"""Check public texts for words and domains that the site does not allow.

Every store function that writes a text for others calls `check_texts`. Texts for moderators are not
checked: a report may quote what it is about.
"""

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import regex
from flask_babel import lazy_gettext as _l

from webapp.config import Config
from webapp.core.errors import RefusedText
from webapp.core.search.stems import without_accents
from webapp.core.text.folding import fold
from webapp.site_settings import DOMAIN, HIDE, REPORT, REVIEW, WORD, Ban, BanList

from .domain_names import domains_in, forms_of
from .phrases import PhraseIndex, fold_text, tokens_of

REPORTED: Final = (REVIEW, HIDE, REPORT)  # actions that moderators are told of, strictest first
# Signs within a word that readers do not see, or see through: those that only format, such as
# a space without width, and marks of other scripts over Latin and Chinese.
SEEN_THROUGH: Final[Any] = regex.compile(r"\p{Cf}|(?<=[a-z0-9\p{Han}])\p{M}++")


class TextBans:
    """The words and domains of a list, prepared for comparing."""

    def __init__(self, bans: Iterable[Ban]) -> None:
        self._phrases, self._words, self._domains = PhraseIndex(), {}, {}
        for ban in bans:
            if ban.kind == WORD and (phrase := tokens_of(fold_text(ban.value))):
                self._words[phrase] = ban
                self._phrases.add(phrase)
            elif ban.kind == DOMAIN:
                self._domains.update(dict.fromkeys(forms_of(ban.value), ban))

    def __bool__(self) -> bool:
        return bool(self._words or self._domains)

    def found_in(self, text: str) -> Iterator[Ban]:
        """Yield the bans of words and domains in a text."""
        for folded in _readings(text):
            if self._domains:
                for domain in domains_in(folded):
                    if domain in self._domains:
                        yield self._domains[domain]
            if self._words:
                unaccented = without_accents(folded)
                yield from map(self._words.__getitem__, self._phrases.find(tokens_of(unaccented)))


@lru_cache(maxsize=2)  # the list of now, and that of requests which began before
def text_bans(bans: BanList) -> TextBans:
    """Return the words and domains of a list."""
    return TextBans(bans.bans)


def check_texts(config: Config, *texts: str) -> str:
    """Return the word or domain in texts that moderators want to see, "" without one.

    Raises RefusedText for one that is not allowed. It names the one that the writer used.
    """
    found = find_ban(config, *texts)
    return found.value if found else ""


def find_ban(config: Config, *texts: str) -> Ban | None:
    """Return the ban of a word or domain that moderators want to see, with the strictest action.

    None without one. Raises RefusedText, as `check_texts` does.
    """
    found = list(bans_in(config, *texts))
    if refused := next((ban for ban in found if ban.action not in REPORTED), None):
        raise RefusedText("refused_text", _sentence(refused))
    return min(found, key=lambda ban: REPORTED.index(ban.action), default=None)


def check_change(config: Config, before: Iterable[str], after: Iterable[str]) -> str:
    """Return the word or domain in a changed post that moderators want to see, "" without one.

    Raises RefusedText as `check_texts` does, and for a word or domain for which a new post would
    be held or hidden. One that the post has already may stay.
    """
    after = list(after)
    flagged, present = check_texts(config, *after), list(bans_in(config, *before))
    for ban in bans_in(config, *after):
        if ban.action in (REVIEW, HIDE) and ban not in present:
            sentence = _l(
                "“%(term)s” can’t be added to a post. Write a new post with it.", term=ban.value
            )
            raise RefusedText("refused_text", sentence)
    return flagged


def bans_in(config: Config, *texts: str) -> Iterator[Ban]:
    """Yield the present bans of the words and domains in texts."""
    if config.bans.bans and (prepared := text_bans(config.bans)):
        now_ms = int(time.time() * 1000)
        for text in filter(None, texts):
            yield from (ban for ban in prepared.found_in(text) if ban.holds_at(now_ms))


def _readings(text: str) -> Iterator[str]:
    """Yield a text folded, and once more as readers see it, if that differs."""
    folded = fold(text)
    yield folded
    if not folded.isascii() and (seen := SEEN_THROUGH.sub("", folded)) != folded:
        yield seen


def _sentence(ban: Ban) -> object:
    if ban.kind == DOMAIN:
        return _l("Your text has a link that this site does not allow: %(term)s", term=ban.value)
    return _l("Your text has a word that this site does not allow: %(term)s", term=ban.value)
