"""Who finds a member, on every path that leads to people, by relation and by kind of account."""

from collections.abc import Callable

import pytest

from webapp.accounts import lifecycle, profile, store as accounts
from webapp.autocomplete.members import search_members, suggest_members
from webapp.core.search.syntax import parse
from webapp.core.store import Site
from webapp.core.text.parser import parse as parse_text
from webapp.explore.suggestions import jobs
from webapp.explore.suggestions.store import candidates, popular_members, suggested
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.search.people import search_people
from webapp.statuses import store as statuses

# Columns: what is between finch, the viewer, and wren, who posts; or what wren is.
#   friend: ibis, whom finch follows, follows wren; asked: finch asked to follow;
#   hidden: wren chose not to be found.
TABLE = """
                   stranger friend followed muted blocking blocked protected asked hidden suspended
suggestions           yes      yes    -        -     -        -       -         -         -      -
suggestions, visitor  yes      yes    yes      yes   yes      yes     -         -         -      -
completion            yes      yes    yes      -     -        -       yes       yes       -      -
completion of login   yes      yes    yes      yes   -        -       yes       yes       yes    -
people search         yes      yes    yes      yes   -        -       yes       yes       -      -
people, first letters yes      yes    yes      yes   -        -       yes       yes       -      -
visitor search        yes      yes    yes      yes   yes      yes     yes       yes       -      -
"""
COLUMNS = TABLE.split("\n")[1].split()
ROWS = {
    line[:22].strip(): dict(zip(COLUMNS, line[22:].split(), strict=True))
    for line in TABLE.split("\n")[2:]
    if line
}


@pytest.mark.parametrize("column", COLUMNS)
def test_members_are_found_as_the_table_says(
    site: Site, people: Callable[..., list[int]], apply_events: Callable[[], None], column: str
) -> None:
    finch, wren, ibis = people("finch", "wren", "ibis")
    statuses.post(site, wren, parse_text("a wren sings"), "form-1")
    change(site, column, finch, wren, ibis)
    apply_events()
    jobs.compute(site.db, finch)
    viewer = site.db.read(accounts.get(finch))
    assert viewer

    def completes(typed: str) -> bool:
        found = site.db.read(suggest_members(finch, site.db.read(search_members(finch, typed))))
        return wren in {one.uid for one in found}

    query, first_letters = parse("wren"), parse("wre")
    found = {
        "suggestions": wren
        in {
            one.member.uid for one in suggested(site.db, finch, 9, site.db.read(candidates(finch)))
        },
        "suggestions, visitor": wren
        in {one.member.uid for one in popular_members(site.db, 9, site.db.read(candidates(None)))},
        "completion": completes("wre"),
        "completion of login": completes("wren"),
        "people search": wren in ids(search_people(site, query, viewer).page.items),
        "visitor search": wren in ids(search_people(site, query, None).page.items),
        "people, first letters": wren in ids(search_people(site, first_letters, viewer).page.items),
    }
    expected = {row: cells[column] == "yes" for row, cells in ROWS.items()}
    assert found == expected


def ids(members: object) -> set[int]:
    return {one.uid for one in members}  # type: ignore[attr-defined]


def change(site: Site, column: str, finch: int, wren: int, ibis: int) -> None:
    """Make what is between finch and wren, or what wren is."""
    match column:
        case "friend":
            following.follow(site, finch, "ibis")
            following.follow(site, ibis, "wren")
        case "followed":
            following.follow(site, finch, "wren")
        case "muted":
            mutes.mute(site, finch, "wren", 3_600)
        case "blocking":
            blocks.block(site, finch, "wren")
        case "blocked":
            blocks.block(site, wren, "finch")
        case "protected":
            lifecycle.protect(site, wren)
        case "asked":
            lifecycle.protect(site, wren)
            following.follow(site, finch, "wren")
        case "hidden":
            profile.edit(site, wren, {"hidden_from_search": "1"})
        case "suspended":
            lifecycle.suspend(site, wren)
