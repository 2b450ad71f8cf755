"""The visibility policy, from one table of cases: in Python, scripts, homes and streams."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import webapp
from webapp.accounts import keys as account_keys
from webapp.accounts.member import Member
from webapp.core.store import Db
from webapp.core.store.scripts import compile_script
from webapp.following import keys as following_keys
from webapp.search.index.documents import is_searchable
from webapp.statuses import Relationship, Status, Visibility
from webapp.statuses.values.visibility import effective_visibility, pack_uids
from webapp.statuses.visibility.policy import ANONYMOUS, Exposure
from webapp.streaming.hub.followed_topics import Home
from webapp.streaming.log.messages import Message
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.terms import Subject
from webapp.timelines import keys as timeline_keys

INCLUDES = Path(webapp.__file__).parent / "statuses/visibility/lua/includes"
POLICY = "".join((INCLUDES / name).read_text() for name in ("policy.lua", "exposure.lua"))
HOME_SHOWS = compile_script(
    "home_shows",
    """-- Return 1 if the home of `viewer` shows `author`.
--
-- KEYS     suspended
--          mutes
--          blocks
--          blockers
--          excluded
-- ARGV     viewer
--          author
-- include timelines/home/lua/includes/visible_authors.lua
local is_visible = visible_authors(viewer, suspended, mutes, blocks, blockers, excluded)
return (not is_visible or is_visible(author)) and 1 or 0
""",
)
VIEWER, AUTHOR = 3, 7
WREN = Member(AUTHOR, "wren", "Wren", datetime(2026, 1, 1, tzinfo=UTC))

# The audience of a status by its stored visibility, and whether its author is protected.
AUDIENCE = """
visibility  protected  visitor  stranger  follower  mentioned  author
public      no         yes      yes       yes       yes        yes
unlisted    no         yes      yes       yes       yes        yes
followers   no         -        -         yes       yes        yes
mentioned   no         -        -         -         yes        yes
public      yes        -        -         yes       -          yes
unlisted    yes        -        -         yes       -          yes
followers   yes        -        -         yes       yes        yes
mentioned   yes        -        -         -         yes        yes
group       no         -        -         -         -          yes
group       yes        -        -         -         -          yes
"""
# Where a viewer in the audience sees it, by the relationship between viewer and author.
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
    for row in rows(AUDIENCE)
    for kind in ("visitor", "stranger", "follower", "mentioned", "author")
]


class Following:
    """The authors that the owner of a home follows."""

    tags: frozenset[str] = frozenset()

    def __init__(self, uids: frozenset[int]) -> None:
        self.follows = uids.__contains__


def viewer_of(kind: str) -> int:
    return {"visitor": 0, "author": AUTHOR}.get(kind, VIEWER)


def mentioned_of(visibility: Visibility, kind: str) -> frozenset[int]:
    # Only restricted statuses store their mentioned members.
    return frozenset({VIEWER} if kind == "mentioned" and visibility.restricted else ())


def run_lua(db: Db, expression: str, *args: object) -> str:
    names = ", ".join(f"ARGV[{index}]" for index in range(1, len(args) + 1))
    text = f"{POLICY}\nlocal a, b, c, d, e = {names}\nreturn tostring({expression})"
    return str(db.run(("EVAL", text, 0, *args)))


@pytest.mark.parametrize(("visibility", "protected", "kind", "expected"), CASES)
def test_python_and_scripts_agree_on_the_audience(
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

    if effective.restricted:  # a home also follows the author
        audience = RestrictedAudience(effective, mentioned)
        message = Message((1, 0), "update", AUTHOR, 64, b"", restricted_to=audience)
        home = Following(follows | {viewer})
        assert Home(viewer).wants(message, Subject(64, AUTHOR, "a"), home) is (
            expected and home.follows(AUTHOR)
        )


def test_only_members_of_a_closed_group_see_its_posts() -> None:
    status = Status(64, WREN, "a", (), visibility=Visibility.GROUP, group=5)
    for gid, is_seen in ((5, True), (6, False)):
        relationship = Relationship(VIEWER, groups=frozenset({gid}))
        assert relationship.may_see_status(status) is is_seen
        assert relationship.is_visible_in_timelines(status) is is_seen
    assert not Relationship(0, follows=frozenset({AUTHOR})).may_see_status(status)
    assert not replace(relationship, groups=frozenset({5})).may_see_boost(status, WREN)


@pytest.mark.parametrize("visibility", Visibility)
@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
def test_python_and_scripts_agree_on_what_search_finds(
    db: Db, visibility: Visibility, protected: bool, hidden: bool
) -> None:
    author = replace(WREN, protected=protected, hidden_from_search=hidden)
    effective = effective_visibility(visibility.value, author)
    expected = is_searchable(Status(64, author, "a", (), visibility=effective))
    call = "is_searchable(a, b == '1', c == '1')"
    found = run_lua(db, call, visibility.value, int(protected), int(hidden))
    assert found == ("true" if expected else "false")
    assert expected == (visibility is Visibility.PUBLIC and not (protected or hidden))


@pytest.mark.parametrize("row", rows(EXPOSURE), ids=lambda row: "-".join(row.values()))
def test_python_and_scripts_agree_on_the_effect_of_blocks_and_mutes(
    db: Db, row: dict[str, str]
) -> None:
    relations = {
        name: frozenset({AUTHOR} if row[name] == "yes" else ())
        for name in ("blocks", "blocked_by", "mutes")
    }
    relationship = Relationship(VIEWER, **relations)
    status = Status(64, WREN, "a", ())
    assert relationship.exposure(AUTHOR).name.lower() == row["exposure"]
    assert relationship.is_visible_in_timelines(status) is (row["exposure"] == "in_timelines")
    assert relationship.is_visible(status) is (row["exposure"] != "hidden")
    assert relationship.is_visible_in_timelines(status, profile_uid=AUTHOR) is (
        row["exposure"] != "hidden"
    )

    flags = [int(bool(uids)) for uids in relations.values()]
    assert run_lua(db, "exposure(a == '1', b == '1', c == '1')", *flags) == row["exposure"]

    lists = {
        "blocks": following_keys.blocks(VIEWER),
        "blocked_by": following_keys.blockers(VIEWER),
        "mutes": following_keys.mutes(VIEWER),
    }
    db.trip(
        *(("ZADD", lists[name], "9e9", uid) for name, uids in relations.items() for uid in uids)
    )
    home = HOME_SHOWS(
        suspended=account_keys.suspended_members(VIEWER),
        mutes=lists["mutes"],
        blocks=lists["blocks"],
        blockers=lists["blocked_by"],
        excluded=timeline_keys.home_excluded(VIEWER),
        viewer=VIEWER,
        author=AUTHOR,
    )
    assert db.run(home) == int(row["exposure"] == "in_timelines")


def test_statuses_of_suspended_members_are_invisible() -> None:
    status = Status(64, replace(WREN, suspended=True), "a", ())
    assert not Relationship(VIEWER).is_visible(status)
    assert not Relationship(VIEWER).is_visible_in_timelines(status)


def test_a_relationship_covers_several_authors() -> None:
    blocked, blocking, muted, unrelated = 2, 3, 4, 5
    relationship = Relationship(
        1, frozenset({blocked}), frozenset({blocking}), frozenset({blocked, muted})
    )
    expected = {
        1: Exposure.IN_TIMELINES,
        blocked: Exposure.HIDDEN,
        blocking: Exposure.HIDDEN,
        muted: Exposure.ON_REQUEST,
        unrelated: Exposure.IN_TIMELINES,
    }
    for uid, exposure in expected.items():
        assert relationship.exposure(uid) is exposure
        assert relationship.visible_in_timelines(uid) is (exposure is Exposure.IN_TIMELINES)
        assert relationship.visible_on_request(uid) is (exposure is not Exposure.HIDDEN)
    assert ANONYMOUS.exposure(blocked) is Exposure.IN_TIMELINES
