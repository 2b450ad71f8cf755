"""Estimate each password once: the members of tests have one password, and the same few names."""

from collections.abc import Sequence
from functools import cache

from webapp.accounts.passwords import rules

estimated = rules.weakness


@cache
def _weakness(password: str, personal_words: tuple[str, ...]) -> str | None:
    return estimated(password, list(personal_words))


def remember_passwords() -> None:
    """Let forms of this process ask for each new password and member once."""

    def weakness(password: str, personal_words: Sequence[str] = ()) -> str | None:
        return _weakness(password, tuple(personal_words))

    rules.weakness = weakness
