"""Find out whether a new password is easy to guess, with zxcvbn."""

import re
from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

SCORE_MIN = 2  # of 0 to 4: at least a million guesses
# zxcvbn takes seconds for long passwords, and for many characters that may stand for letters.
ESTIMATED_MAX = 32  # characters that are estimated
SUBSTITUTES = frozenset("@4836901!|7$5+%2({[<")
SUBSTITUTES_MAX = 8  # different ones; fewer would cut passwords of eight digits
SITE_NAME = "linnet"
WORD_PATTERN = re.compile(r"[^\W_]{2,}")

# What many people put before or behind a year, as in Summer2025!, in the site's languages.
YEAR_WORDS = """
    spring summer autumn fall winter january february march april may june july august september
    october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday
    wednesday thursday friday saturday sunday welcome hello password passwort admin login letmein
    chuntian xiatian qiutian dongtian mima 春天 夏天 秋天 冬天
""".split()
YEAR = r"(?:(?:19|20)?\d\d)"

_lock = Lock()  # zxcvbn keeps the personal words in a global


def weakness(password: str, personal_words: Sequence[str] = ()) -> str | None:
    """Return why a password is easy to guess, None if it is not."""
    return strength(password, personal_words)[1]


def strength(password: str, personal_words: Sequence[str]) -> tuple[int, str | None]:
    """Return the score of a password, 0 to 4, and why it is easy to guess, None if it is not.

    One of: year, personal, passwords, word, name, spatial, repeat, sequence, date, short. Capital
    letters make no difference: most people put them where others do.
    """
    from zxcvbn import zxcvbn  # 14 MB: loaded with the first new password only

    with _lock:
        estimate = zxcvbn(
            _estimated_part(password.lower()), personal_words, max_length=ESTIMATED_MAX
        )
    score = int(estimate["score"])
    if score < SCORE_MIN:
        return score, _reason(estimate["sequence"])
    return score, "year" if _is_words_and_year(password, personal_words) else None


def is_common(password: str) -> bool:
    """Return True for one of the 30,000 passwords that leaks hold most often."""
    from zxcvbn.matching import RANKED_DICTIONARIES

    return password.lower() in RANKED_DICTIONARIES["passwords"]


def personal_words(login: str, name: str, site_url: str) -> list[str]:
    """Return words that others know of a member: login, name, parts of them, site, an address."""
    host = urlsplit(site_url).hostname or ""
    texts = (login, name, SITE_NAME, host, f"{login}@{host or SITE_NAME}")
    words = [WORD_PATTERN.findall(text) for text in texts]
    joined = ("".join(parts) for parts in words)
    all_words = (*texts, *joined, *chain.from_iterable(words))
    return list(dict.fromkeys(word.lower() for word in all_words if word))


def _is_words_and_year(password: str, personal_words: Sequence[str]) -> bool:
    """Return True for a year with words that go with it or that others know of the member."""
    letters = "".join(sign for sign in password.casefold() if sign.isalnum())
    words = sorted({*YEAR_WORDS, SITE_NAME, *personal_words}, key=len, reverse=True)
    word = f"(?:{'|'.join(map(re.escape, words))})"
    pattern = rf"{YEAR}?{word}{{1,3}}{YEAR}|{YEAR}{word}{{1,3}}"
    return re.fullmatch(pattern, letters[:ESTIMATED_MAX]) is not None


def _estimated_part(password: str) -> str:
    """Return the start of a password, as long as its estimate takes little time."""
    part = password[:ESTIMATED_MAX]
    while len(SUBSTITUTES.intersection(part)) > SUBSTITUTES_MAX:
        part = part[:-1]
    return part


def _reason(sequence: Sequence[dict[str, Any]]) -> str:
    """Return why the parts of a password are easy to guess: the personal one, or the longest."""
    dictionaries = [match.get("dictionary_name") for match in sequence]
    if "user_inputs" in dictionaries:
        return "personal"
    longest = max(sequence, key=lambda match: len(match["token"]), default={"pattern": "short"})
    if longest["pattern"] == "dictionary":
        return DICTIONARY_REASONS.get(longest["dictionary_name"], "word")
    return PATTERN_REASONS.get(longest["pattern"], "short")


DICTIONARY_REASONS = {
    "passwords": "passwords",
    "surnames": "name",
    "male_names": "name",
    "female_names": "name",
}
PATTERN_REASONS = {
    "spatial": "spatial",
    "repeat": "repeat",
    "sequence": "sequence",
    "regex": "date",  # recent years
    "date": "date",
}
