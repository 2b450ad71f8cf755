"""People to choose from: those who match the words of a search field, and those chosen already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.autocomplete.members import MemberSearch, search_members, suggest_members
from webapp.autocomplete.words import RAW_MAX, WORD, words_of
from webapp.core.store import Read, collect, gather
from webapp.core.text.folding import fold

WORDS_MAX = 5
PICKED_MAX = 100  # people whom one form may name
FOUND_MAX = 20


@dataclass(frozen=True, slots=True)
class PeopleSearch:
    """The uids that may match some words, and of those who are chosen. None was checked yet."""

    typed: str
    words: Sequence[str]
    picked: Sequence[int]
    found: MemberSearch | None


@dataclass(frozen=True, slots=True)
class Picker:
    """The people whom a page offers. `picked`: those chosen already, who are not in `found`."""

    typed: str
    picked: Sequence[Member]
    found: Sequence[Member]


def search_people(uid: int | None, typed: str, logins: Collection[str] = ()) -> Read[PeopleSearch]:
    """Read candidates for the words that a member typed; without words, their recent contacts.

    `logins`: of those who are chosen already, at most PICKED_MAX.
    """
    words = WORD.findall(fold(typed[:RAW_MAX]))[:WORDS_MAX]
    names = list(dict.fromkeys(map(str.lower, logins)))[:PICKED_MAX]
    claims = collect(map(accounts.claimed_uid, names))
    found = search_members(uid, words[-1] if words else "")
    return gather(claims, found).map(
        lambda results: PeopleSearch(typed, words, list(filter(None, results[0])), results[1])
    )


def picker(uid: int, search: PeopleSearch) -> Read[Picker]:
    """Read the people to offer a member: the chosen ones, then those who match all the words.

    Recent contacts and those whom the member follows come first; see `suggest_members`.
    """
    suggested = suggest_members(uid, search.found, FOUND_MAX)

    def choose(results: tuple[dict[int, Member], list[Member]]) -> Picker:
        members, found = results
        picked = [members[one] for one in search.picked if one in members and one != uid]
        others = [one for one in found if one not in picked and _matches(one, search.words)]
        return Picker(search.typed, picked, others)

    return gather(accounts.get_many(search.picked), suggested).map(choose)


def _matches(member: Member, words: Sequence[str]) -> bool:
    """Return True if each word begins one of a member's."""
    own = words_of(member.login, member.name)
    return all(any(one.startswith(word) for one in own) for word in words)
