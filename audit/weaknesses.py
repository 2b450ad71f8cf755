"""Ask the package index for known weaknesses of the locked packages, by pip-audit."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

# The second lock has the packages of the first too. The others are of tools that no site runs.
LOCKS = ("requirements-dev.lock",)
COMMAND = (
    *("-m", "pip_audit", "--format", "json", "--progress-spinner", "off"),
    *("--disable-pip", "--require-hashes", "--timeout", "20"),
)
PATIENCE = 600  # seconds


@dataclass(frozen=True, slots=True)
class Answer:
    """What the index said: the weaknesses, and how many packages it knew and did not know."""

    weaknesses: list[str]
    known: int
    unknown: int

    @property
    def summary(self) -> str:
        """Return how much was audited, in a sentence."""
        if not self.known:
            return "No package was audited for known weaknesses: the index has no such data."
        unknown = f"; {self.unknown} are not known there" if self.unknown else ""
        return f"{self.known} packages were audited for known weaknesses{unknown}."


def parse(text: str) -> Answer | None:
    """Parse pip-audit's JSON; None if the text is something else, such as an error."""
    try:
        packages = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return None
    known = [package for package in packages if "skip_reason" not in package]
    weaknesses = [
        f"{package['name']} {package['version']} has a known weakness: {one['id']}"
        for package in known
        for one in package["vulns"]
    ]
    return Answer(weaknesses, len(known), len(packages) - len(known))


def check(locks: Sequence[str]) -> list[str]:
    """Return the weaknesses of locked packages. Print how much was audited."""
    files = [argument for lock in locks for argument in ("--requirement", lock)]
    try:
        done = subprocess.run(
            [sys.executable, *COMMAND, *files], capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        print("No package was audited for known weaknesses: the index took too long.")
        return []
    answer = parse(done.stdout)
    if answer is None:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"No package was audited for known weaknesses: {reason}")
        return []
    print(answer.summary)
    return answer.weaknesses
