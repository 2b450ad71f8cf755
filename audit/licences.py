"""Compare the licences of all locked packages with those that Linnet may use."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

LOCKS = ("requirements.lock", "requirements-dev.lock")
PACKAGES = str(next(Path(".venv/lib").glob("python*/site-packages"), Path(".venv")))
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CNRI-Python", "ISC", "MIT", "MIT-0"),
    *("MIT-CMU", "MPL-2.0", "PSF-2.0", "Public-Domain"),
}
# Programs that only developers run: nothing of them is part of Linnet.
TOOLS = {"djlint": {"GPL-3.0-or-later"}}
# Packages whose metadata does not say it, or says it in words: read in their licence files.
READ = {"axe-playwright-python": "MIT", "pyrage": "MIT", "text-unidecode": "Artistic-1.0"}
ALLOWED_TOO = {"text-unidecode": {"Artistic-1.0"}}
# Words in place of identifiers.
WORDS = {
    "apache": "Apache-2.0",
    "mozilla public license 2.0": "MPL-2.0",
    "bsd": "BSD-3-Clause",
    "python software foundation": "PSF-2.0",
    "isc": "ISC",
    "mit": "MIT",
}
LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
LICENSING = get_spdx_licensing()


def check(locks: Sequence[str], packages: str) -> list[str]:
    """Return what is wrong with the licences of locked packages. `packages`: their folder."""
    installed = {_plain(one.name): one for one in distributions(path=[packages])}
    names = {_plain(name) for lock in locks for name, _ in LOCKED.findall(Path(lock).read_text())}
    print(f"The licences of {len(names)} locked packages were compared.")
    return list(_problems(sorted(names), installed))


def _problems(names: Sequence[str], installed: Mapping[str, Distribution]) -> Iterator[str]:
    for name in names:
        if name not in installed:
            yield f"{name} is locked and not installed: its licence is not known"
            continue
        licence = READ.get(name) or _licence(installed[name])
        allowed = ALLOWED | TOOLS.get(name, set()) | ALLOWED_TOO.get(name, set())
        if not licence:
            yield f"{name} names no licence"
        elif not _allows(licence, allowed):
            yield f"{name} has a licence that is not allowed: {licence}"


def _licence(package: Distribution) -> str:
    """Return a package's licence: an expression, or identifiers joined by AND; "" for none."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [
        text.split(" :: ")[-1]
        for text in metadata.get_all("Classifier") or []
        if text.startswith("License :: OSI Approved :: ")
    ]
    text = str(metadata.get("License") or "").strip().split("\n")[0]
    names = classifiers or ([text] if text else [])
    return " AND ".join(sorted({_identifier(name) for name in names}))


def _identifier(words: str) -> str:
    """Return the identifier of a licence in words; the words themselves if nobody knows it."""
    known = (found for word, found in WORDS.items() if words.lower().startswith(word))
    if words in LICENSING.known_symbols or " and " in words:
        return words
    return next(known, words)


def _allows(licence: str, allowed: set[str]) -> bool:
    try:
        return _holds(LICENSING.parse(licence), allowed)
    except ExpressionError:
        return False


def _holds(term: Any, allowed: set[str]) -> bool:
    if isinstance(term, LICENSING.AND):
        return all(_holds(part, allowed) for part in term.args)
    if isinstance(term, LICENSING.OR):
        return any(_holds(part, allowed) for part in term.args)
    return str(term.key) in allowed


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    problems = check(sys.argv[2:], sys.argv[1])
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
