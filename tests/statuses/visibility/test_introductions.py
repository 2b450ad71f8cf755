"""Who may be suggested to whom, and named in a reason, as a table of relations."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from webapp.accounts.member import Member
from webapp.statuses import Relationship, may_be_found
from webapp.statuses.visibility.policy import ANONYMOUS

VIEWER, WREN = 1, Member(2, "wren", "Wren", datetime(2026, 1, 1, tzinfo=UTC))
ONLY_WREN = frozenset({WREN.uid})
PLAIN = Relationship(VIEWER)
# relation; then: may be suggested as a public member, as a protected one through a friend, as a
# protected one otherwise; may be named in a reason.
TABLE = {
    "visitor": (ANONYMOUS, "yes", "yes", "no", "no"),
    "stranger": (PLAIN, "yes", "yes", "no", "no"),
    "followed": (replace(PLAIN, follows=ONLY_WREN), "no", "no", "no", "yes"),
    "requested": (replace(PLAIN, requested=ONLY_WREN), "no", "no", "no", "no"),
    "muted": (replace(PLAIN, mutes=ONLY_WREN), "no", "no", "no", "no"),
    "followed and muted": (
        replace(PLAIN, mutes=ONLY_WREN, follows=ONLY_WREN),
        *("no", "no", "no", "no"),
    ),
    "blocked": (replace(PLAIN, blocks=ONLY_WREN), "no", "no", "no", "no"),
    "blocks the viewer": (replace(PLAIN, blocked_by=ONLY_WREN), "no", "no", "no", "no"),
    "oneself": (Relationship(WREN.uid), "no", "no", "no", "no"),
    "boosts are hidden": (replace(PLAIN, hidden_boosters=ONLY_WREN), *("yes", "yes", "no", "no")),
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
    relation, *expected = TABLE[row]
    protected = replace(WREN, protected=True)
    found = words(
        relation.may_suggest(WREN),
        relation.may_suggest(protected, through_friend=True),
        relation.may_suggest(protected),
        relation.may_name_friend(WREN),
    )
    assert list(found) == expected
    assert relation.may_suggest(WREN) is relation.may_suggest(WREN, through_friend=True)
    assert relation.may_suggest(WREN) is relation.may_introduce(WREN.uid)


@pytest.mark.parametrize("row", TABLE)
@pytest.mark.parametrize("kind", ENDED)
def test_suspended_and_hidden_members_and_bots_are_suggested_to_nobody(row: str, kind: str) -> None:
    relation = TABLE[row][0]
    for through_friend in (False, True):
        assert not relation.may_suggest(ENDED[kind], through_friend)
    assert not relation.may_name_friend(ENDED["suspended"]) and not relation.may_name_friend(None)
    assert may_be_found(ENDED[kind]) is (kind == "bot")
