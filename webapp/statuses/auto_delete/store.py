"""The rule by which a member's old posts are deleted. Private."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.store import Read, Site, collect, first_id_at, read, script
from webapp.statuses import keys as status_keys

from . import keys

SAVE = script("statuses/auto_delete/lua/save.lua")
AGES = (7, 30, 90, 180, 365)  # days
KINDS = ("pinned", "bookmarked", "liked", "media")  # of posts that may stay
DELAY_SECONDS = 3_600  # between saving a rule and the first deletion
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Rule:
    """Deletes posts that are older than `days`, apart from those of the kinds `kept` (KINDS)."""

    days: int
    kept: frozenset[str]

    def pack(self) -> str:
        """Return the rule as it is stored."""
        return " ".join((str(self.days), *sorted(self.kept)))

    def first_kept_id(self) -> int:
        """Return the smallest id of a status that is too recent to be deleted now."""
        return first_id_at(int(time.time() * 1000) - self.days * DAY_MS)


def save(site: Site, uid: int, rule: Rule | None) -> bool:
    """Save a member's rule, None to delete nothing. Return True if it changed. One trip.

    A new rule is applied DELAY_SECONDS later, and an old one ends at once. Raises NotFound,
    Forbidden (suspended).
    """
    due_at = int(time.time()) + DELAY_SECONDS
    return bool(site.run(SAVE, uid=uid, rule=rule.pack() if rule else "", due_at=due_at))


def rule_of(uid: int) -> Read[Rule | None]:
    """Read a member's rule, None if there is none."""
    return read(("HGET", keys.auto_delete(uid), "rule"), unpack_rule)


def unpack_rule(stored: str | None) -> Rule | None:
    """Return a stored rule, None if there is none."""
    if not stored:
        return None
    days, *kept = stored.split()
    return Rule(int(days), frozenset(kept))


def count_old(uid: int, rule: Rule) -> Read[int]:
    """Read how many of a member's posts are old enough for a rule, those that stay among them."""
    bounds = ("-inf", f"({rule.first_kept_id()}")
    lists: Sequence[str] = status_keys.authored_lists(uid)
    return collect(read(("ZCOUNT", key, *bounds), int) for key in lists).map(sum)
