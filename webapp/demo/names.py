"""The logins and names of a community: birds."""

from collections.abc import Sequence
from functools import cache
from random import Random

from webapp.accounts.forms import RESERVED_LOGINS

from .phrases import sections

LOGIN_MAX = 15  # characters


def numbered_login(login: str, number: int) -> str:
    """Return a login like this one with a number, no longer than a login may be."""
    return login[: LOGIN_MAX - len(str(number))] + str(number)


@cache
def birds(language: str) -> tuple[tuple[str, str], ...]:
    """Return (login, name) of the birds of a language."""
    lines = dict(sections("birds.txt"))[language]
    if language == "zh":
        return tuple((line.split()[1], line.split()[0]) for line in lines)
    return tuple(_bird(line) for line in lines)


def _bird(line: str) -> tuple[str, str]:
    *words, last = line.split()
    if words and last.islower():
        return last, " ".join(words)
    login = line.lower().replace(" ", "_").replace("-", "_")
    return (login if len(login) <= LOGIN_MAX else login.replace("_", "")), line


def draw_names(rng: Random, languages: Sequence[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return a (login, name) for each member. Once the birds run out, logins are numbered."""
    remaining_birds = {language: _shuffled_birds(rng, language) for language in ("en", "zh")}
    taken_logins: set[str] = set(RESERVED_LOGINS)
    names = []
    for member_languages in languages:
        birds_left = remaining_birds[member_languages[-1]]
        if not birds_left:
            birds_left.extend(_shuffled_birds(rng, member_languages[-1]))
        login, name = birds_left.pop()
        free_login, number = login, 1
        while free_login.lower() in taken_logins:
            number += 1
            free_login = numbered_login(login, number)
        taken_logins.add(free_login.lower())
        names.append((free_login, name))
    return names


def _shuffled_birds(rng: Random, language: str) -> list[tuple[str, str]]:
    return rng.sample(birds(language), len(birds(language)))
