"""The argon2id hashes of passwords."""

from functools import cache

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError


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


@cache
def _hasher(cost: str) -> PasswordHasher:
    memory, passes, lanes = (int(part) for part in cost.split("/"))
    return PasswordHasher(passes, memory, lanes, type=Type.ID)


@cache
def _dummy_hash(cost: str) -> str:
    return _hasher(cost).hash("nobody's password")
