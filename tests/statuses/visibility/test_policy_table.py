"""The visibility policy, from one table of cases: in Python and in the include of scripts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import webapp
from webapp.accounts.member import Member
from webapp.core.store.client import Db
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.visibility import Visibility, effective_visibility, pack_uids

POLICY = Path(webapp.__file__).parent / "statuses/visibility/lua/includes/policy.lua"
VIEWER, AUTHOR = 3, 7
WREN = Member(AUTHOR, "wren", "Wren", datetime(2026, 1, 1, tzinfo=UTC))

# Whom a status is meant for: by its stored visibility, and whether its author is protected.
MEANT_FOR = """
visibility  protected  visitor  stranger  follower  mentioned  author
public      no         yes      yes       yes       yes        yes
unlisted    no         yes      yes       yes       yes        yes
followers   no         -        -         yes       yes        yes
mentioned   no         -        -         -         yes        yes
public      yes        -        -         yes       -          yes
unlisted    yes        -        -         yes       -          yes
followers   yes        -        -         yes       yes        yes
mentioned   yes        -        -         -         yes        yes
"""
# Where the viewer sees it if it is meant for them: by what is between the viewer and its author.
EXPOSURE = """
blocks  blocked_by  mutes  exposure
no      no          no     in_timelines
no      no          yes    on_request
yes     no          no     hidden
no      yes         no     hidden
yes     no          yes    hidden
no      yes         yes    hidden
"""


def rows(table: str) -> list[dict[str, str]]:
    names, *lines = (line.split() for line in table.strip().split("\n"))
    return [dict(zip(names, line, strict=True)) for line in lines]


CASES = [
    (Visibility[row["visibility"].upper()], row["protected"] == "yes", kind, row[kind] == "yes")
    for row in rows(MEANT_FOR)
    for kind in ("visitor", "stranger", "follower", "mentioned", "author")
]


def viewer_of(kind: str) -> int:
    return {"visitor": 0, "author": AUTHOR}.get(kind, VIEWER)


def mentioned_of(visibility: Visibility, kind: str) -> frozenset[int]:
    # Only of what was posted as restricted it is stored whom it names.
    return frozenset({VIEWER} if kind == "mentioned" and visibility.restricted else ())


def run_lua(db: Db, expression: str, *args: object) -> str:
    names = ", ".join(f"ARGV[{index}]" for index in range(1, len(args) + 1))
    text = f"{POLICY.read_text()}\nlocal a, b, c, d, e = {names}\nreturn tostring({expression})"
    return str(db.run(("EVAL", text, 0, *args)))


@pytest.mark.parametrize(("visibility", "protected", "kind", "expected"), CASES)
def test_python_and_scripts_agree_whom_a_status_is_meant_for(
    db: Db, visibility: Visibility, protected: bool, kind: str, expected: bool
) -> None:
    author = replace(WREN, protected=protected)
    viewer, mentioned = viewer_of(kind), mentioned_of(visibility, kind)
    follows = frozenset({AUTHOR} if kind == "follower" else ())
    effective = effective_visibility(visibility.value, author)
    status = Status(64, author, "a", (), visibility=effective, mentioned_uids=mentioned)
    relationship = Relationship(viewer, follows=follows)
    assert relationship.may_see_status(status) is expected
    assert relationship.is_visible(status) is expected
    assert relationship.is_visible_in_timelines(status) is expected

    found = run_lua(
        db,
        "may_see(a, b, effective_visibility(c, d == '1'), e, ARGV[6] == '1')",
        viewer,
        AUTHOR,
        visibility.value,
        int(protected),
        pack_uids(mentioned),
        int(kind == "follower"),
    )
    assert found == ("true" if expected else "false")


@pytest.mark.parametrize("row", rows(EXPOSURE), ids=lambda row: "-".join(row.values()))
def test_python_and_scripts_agree_what_blocks_and_mutes_hide(db: Db, row: dict[str, str]) -> None:
    between = {
        name: frozenset({AUTHOR} if row[name] == "yes" else ())
        for name in ("blocks", "blocked_by", "mutes")
    }
    relationship = Relationship(VIEWER, **between)
    status = Status(64, WREN, "a", ())
    assert relationship.exposure(AUTHOR).name.lower() == row["exposure"]
    assert relationship.is_visible_in_timelines(status) is (row["exposure"] == "in_timelines")
    assert relationship.is_visible(status) is (row["exposure"] != "hidden")
    assert relationship.is_visible_in_timelines(status, profile_uid=AUTHOR) is (
        row["exposure"] != "hidden"
    )

    flags = [int(bool(uids)) for uids in between.values()]
    assert run_lua(db, "exposure(a == '1', b == '1', c == '1')", *flags) == row["exposure"]


def test_nobody_sees_what_a_suspended_member_wrote() -> None:
    status = Status(64, replace(WREN, suspended=True), "a", ())
    assert not Relationship(VIEWER).is_visible(status)
    assert not Relationship(VIEWER).is_visible_in_timelines(status)
