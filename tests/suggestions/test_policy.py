"""The policy of suggestions as a table: relation and reason, and who may be suggested then."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from webapp.accounts.member import Member
from webapp.statuses.visibility.policy import Relationship
from webapp.suggestions.policy import may_name, may_suggest
from webapp.suggestions.reasons import Why

VIEWER, WREN = 1, Member(2, "wren", "Wren", datetime(2026, 1, 1, tzinfo=UTC))
ONLY_WREN = frozenset({WREN.uid})
PLAIN = Relationship(VIEWER)
# relation, whether the viewer has requested to follow; then: may be suggested as a public member,
# as a protected one through a friend, as a protected one otherwise; may be named in a reason.
TABLE = {
    "stranger": (PLAIN, False, "yes", "yes", "no", "no"),
    "followed": (replace(PLAIN, follows=ONLY_WREN), False, "no", "no", "no", "yes"),
    "requested": (PLAIN, True, "no", "no", "no", "no"),
    "muted": (replace(PLAIN, mutes=ONLY_WREN), False, "no", "no", "no", "no"),
    "followed and muted": (
        replace(PLAIN, mutes=ONLY_WREN, follows=ONLY_WREN),
        *(False, "no", "no", "no", "no"),
    ),
    "blocked": (replace(PLAIN, blocks=ONLY_WREN), False, "no", "no", "no", "no"),
    "blocks the viewer": (replace(PLAIN, blocked_by=ONLY_WREN), False, "no", "no", "no", "no"),
    "oneself": (Relationship(WREN.uid), False, "no", "no", "no", "no"),
    "boosts are hidden": (
        replace(PLAIN, hidden_boosters=ONLY_WREN),
        *(False, "yes", "yes", "no", "no"),
    ),
}
ENDED = {
    "suspended": replace(WREN, suspended=True),
    "bot": replace(WREN, bot_owner=3),
    "not to be found": replace(WREN, hidden_from_search=True),
}


def words(*flags: bool) -> tuple[str, ...]:
    return tuple("yes" if flag else "no" for flag in flags)


@pytest.mark.parametrize("row", TABLE)
def test_who_may_be_suggested_and_named(row: str) -> None:
    relation, is_requested, *expected = TABLE[row]
    requested = ONLY_WREN if is_requested else frozenset()
    protected = replace(WREN, protected=True)
    others = [why for why in Why if why is not Why.FOLLOWED]
    for why in Why:
        public = may_suggest(relation, requested, WREN, why)
        assert words(public) == (expected[0],), why
    found = words(
        may_suggest(relation, requested, WREN, Why.NEW),
        may_suggest(relation, requested, protected, Why.FOLLOWED),
        any(may_suggest(relation, requested, protected, why) for why in others),
        may_name(relation, WREN),
    )
    assert list(found) == expected


@pytest.mark.parametrize("row", TABLE)
@pytest.mark.parametrize("kind", ENDED)
def test_suspended_and_hidden_members_and_bots_are_suggested_to_nobody(row: str, kind: str) -> None:
    relation = TABLE[row][0]
    for why in Why:
        assert not may_suggest(relation, frozenset(), ENDED[kind], why)
    assert not may_name(relation, ENDED["suspended"]) and not may_name(relation, None)
