"""Encrypt the files of a copy with age, so that a public key alone is on the machine of the site.

`pyrage` is the format's library in Rust. It is loaded only where copies are encrypted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from webapp.core.errors import StoreError

# Writes what it reads from the first file to the second, changed or not.
Transform = Callable[[IO[bytes], IO[bytes]], None]


def encrypting(recipients: Sequence[str]) -> Transform:
    """Return a function that encrypts a file for these public keys. Raises StoreError."""
    import pyrage

    try:
        keys = [pyrage.x25519.Recipient.from_str(text) for text in recipients]
    except pyrage.RecipientError:
        raise StoreError("A recipient is a public key of age, such as age1….") from None
    return lambda source, target: pyrage.encrypt_io(source, target, keys)


def decrypting(identity: Path | None) -> Transform:
    """Return a function that decrypts a file with the keys in `identity`, a file of `age-keygen`.

    Raises StoreError for a file without keys; what it returns, for a file of other keys.
    """
    import pyrage

    if identity is None:
        raise StoreError("The copy is encrypted. Name the file of its key with --identity.")
    keys = _read_keys(identity)

    def decrypt(source: IO[bytes], target: IO[bytes]) -> None:
        try:
            pyrage.decrypt_io(source, target, keys)
        except pyrage.DecryptError:
            raise StoreError(f"The copy is not for the key in {identity}.") from None

    return decrypt


def make_key(path: Path) -> str:
    """Write a new key to a file that only its owner reads, and return its public key.

    Raises StoreError if there is such a file.
    """
    import pyrage

    key = pyrage.x25519.Identity.generate()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise StoreError(f"No key was made: {error}.") from None
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(f"# public key: {key.to_public()}\n{key}\n")
    return str(key.to_public())


def _read_keys(path: Path) -> list[Any]:
    import pyrage

    try:
        lines = path.read_text(encoding="ascii").splitlines()
        texts = [line for line in lines if line and not line.startswith("#")]
        keys = [pyrage.x25519.Identity.from_str(text) for text in texts]
    except (OSError, UnicodeError, pyrage.IdentityError) as error:
        raise StoreError(f"{path} holds no key of age: {error}.") from None
    if not keys:
        raise StoreError(f"{path} holds no key of age.")
    return keys
