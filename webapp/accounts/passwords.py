"""Passwords: argon2id hashes, and which passwords are too common to accept."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

COMMON_COUNT = 10_000  # of the most common passwords and words, which are refused
NAME_LISTS = frozenset({"female_names", "male_names", "surnames"})


def hash_password(password: str, cost: str) -> str:
    """Return the argon2id hash of a password. `cost` is `KiB/passes/lanes`."""
    return _hasher(cost).hash(password)


def verify(stored_hash: str | None, password: str, cost: str) -> bool:
    """Return True if the password has this hash.

    Without a hash the same work is done: the time must not tell that there is no such member.
    """
    dummy_hash = _dummy_hash(cost)  # computed at the first sign-in, whether it is needed or not
    try:
        _hasher(cost).verify(stored_hash or dummy_hash, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored_hash is not None


def needs_rehash(stored_hash: str, cost: str) -> bool:
    """Return True if the hash has another cost than `cost`."""
    return _hasher(cost).check_needs_rehash(stored_hash)


def is_common(password: str) -> bool:
    """Return True for one of the most common passwords, words or names, in any case."""
    return password.lower() in _common_passwords()


@cache
def _hasher(cost: str) -> PasswordHasher:
    memory, passes, lanes = (int(part) for part in cost.split("/"))
    return PasswordHasher(passes, memory, lanes, type=Type.ID)


@cache
def _dummy_hash(cost: str) -> str:
    return _hasher(cost).hash("nobody's password")


@cache
def _common_passwords() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # 2 MB: loaded at the first sign-up only

    # Each word is only in the list that ranks it highest: a common password that is a name is
    # among the names.
    names = {word for kind in NAME_LISTS for word in FREQUENCY_LISTS[kind]}
    words = {
        word
        for kind in FREQUENCY_LISTS.keys() - NAME_LISTS
        for word in FREQUENCY_LISTS[kind][:COMMON_COUNT]
    }
    return frozenset(names | words)
