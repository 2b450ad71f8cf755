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
    if not config.bans.bans or not (prepared := text_bans(config.bans)):
        return None
    now_ms, found = int(time.time() * 1000), list[Ban]()
    for text in filter(None, texts):
        for ban in prepared.found_in(text):
            if not ban.holds_at(now_ms):
                continue
            if ban.action not in REPORTED:
                raise RefusedText("refused_text", _sentence(ban))
            found.append(ban)
    return min(found, key=lambda ban: REPORTED.index(ban.action), default=None)


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
