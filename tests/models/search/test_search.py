"""Compare search with a plain model, while members write and change and workers die.

A search never shows what the searcher may not see. When no event is waiting, it finds all public
posts that match, and members find all that they wrote.
"""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.conftest import long
from tests.models.search.model import LANGUAGE_FREE, WORDS, Part, matches, query_of
from tests.support import paging
from tests.support.schema import live_keys
from tests.support.state_machines.expected import StatusRecord
from tests.support.state_machines.machine import MemberMachine, run_machine
from tests.support.state_machines.strategies import MEMBERS, booleans, members, posts, visibilities
from webapp.accounts import profile, store as accounts
from webapp.config import Config
from webapp.core.search.syntax import parse
from webapp.core.text.parser import parse as parse_text
from webapp.search import posts as search
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.edits import editing
from webapp.statuses.interactions import bookmarks

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(tuple)
wanted = st.builds(Part, st.lists(phrases, min_size=1, max_size=2).map(tuple))
unwanted = st.builds(Part, st.tuples(phrases), st.just(True))
queries = st.lists(wanted, min_size=1, max_size=2).flatmap(
    lambda parts: st.lists(unwanted, max_size=1).map(lambda others: parts + others)
)
VISITOR = 0


class SearchMachine(MemberMachine):
    """Let members write, hide from search, and search."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[int] = set()
        self.bookmarks: set[tuple[int, int]] = set()  # a member's uid, and the id of a status
        self.query = ([Part((("zorp",),))], "")

    @rule(uid=members, words=words, visibility=visibilities)
    def write(self, uid: int, words: list[str], visibility: Visibility) -> None:
        """Post some words."""
        self.post(uid, " ".join([*words, LANGUAGE_FREE]), visibility=visibility)

    @rule(back=posts, words=words)
    def edit(self, back: int, words: list[str]) -> None:
        """Replace the words of an earlier post."""
        status_id = self.pick(back)
        status = self.statuses.get(status_id)
        if status is None:
            return
        text = " ".join([*words, LANGUAGE_FREE])
        version = self.db.run(("HGET", status_keys.status(status_id), "edited")) or ""
        if self.attempt(editing.edit, status.author, status_id, parse_text(text), "", version):
            status.text = text

    @rule(back=posts)
    def delete_post(self, back: int) -> None:
        """Delete an earlier post."""
        self.delete(self.pick(back))

    @rule(uid=members, back=posts, keep=booleans)
    def bookmark(self, uid: int, back: int, keep: bool) -> None:
        """Bookmark an earlier post, or end that."""
        status_id = self.pick(back)
        if not keep:
            if self.attempt(bookmarks.unbookmark, uid, status_id):
                self.bookmarks.discard((uid, status_id))
        elif self.attempt(bookmarks.bookmark, uid, status_id):
            self.bookmarks.add((uid, status_id))

    @rule(uid=members, hide=booleans)
    def hide_from_search(self, uid: int, hide: bool) -> None:
        """Hide a member from search, or end that."""
        if self.attempt(profile.edit, uid, {"hidden_from_search": "1" if hide else ""}):
            (self.hidden.add if hide else self.hidden.discard)(uid)

    @rule(parts=queries, author=st.just(0) | members)
    def choose_query(self, parts: list[Part], author: int) -> None:
        """Search for something else from here on."""
        self.query = (parts, self.logins[author] if author else "")

    @invariant()
    def nobody_finds_what_they_may_not_see(self) -> None:
        """Compare what is found, for everybody, with what could be."""
        for uid in (VISITOR, *range(1, MEMBERS + 1)):
            if uid in self.suspended | self.deleted_members or (uid and uid not in self.logins):
                continue
            assert set(self.found(uid)) <= set(self.public_ids(uid, any_text=True)), uid

    def check(self) -> None:
        """Compare all that is found with the model, when no event is waiting."""
        for uid in (VISITOR, *self.visible_members):
            assert self.found(uid) == self.public_ids(uid), uid
        for uid in self.visible_members:
            assert self.found_own(uid) == self.own_ids(uid), uid
        for uid in self.deleted_members:
            left = (f":own{uid}:", f":saved{uid}:")
            assert not [key for key in live_keys(self.db) if any(one in key for one in left)]
        self._check_bookmarks()

    def _check_bookmarks(self) -> None:
        """Check that indexes of bookmarks have no post that is gone."""
        for key in live_keys(self.db):
            if ":saved" in key and ":record:" in key:
                assert int(key.rpartition(":")[2]) in self.statuses, key

    def found(self, uid: int) -> list[int]:
        """Return what a member or a visitor finds, on all pages, newest first."""
        parts, login = self.query
        plan = parse(query_of(parts, login)).plan
        viewer = self.db.read(accounts.get(uid)) if uid else None
        return paging.ids(lambda before: search.search_latest(self.site, plan, viewer, before).page)

    def found_own(self, uid: int) -> list[int]:
        """Return what a member finds of their own, on all pages, newest first."""
        parts, login = self.query
        plan = parse(query_of(parts, login)).plan
        viewer = self.db.read(accounts.get(uid))
        assert viewer
        return paging.ids(lambda before: search.search_own(self.site, plan, viewer, before).page)

    def public_ids(self, uid: int, any_text: bool = False) -> list[int]:
        """Return what search may show somebody. `any_text`: whether or not it matches."""
        parts, login = self.query
        hidden_authors = self.blocked_with(uid) | self.muted(uid)
        return self._newest(
            number
            for number, status in self.statuses.items()
            if self._is_searchable(status)
            and (status.author not in hidden_authors or status.author == uid)
            and (any_text or self._matches(status, parts, login))
        )

    def own_ids(self, uid: int) -> list[int]:
        """Return what a member finds of their own, and of what they bookmarked."""
        parts, login = self.query
        hidden_authors = self.blocked_with(uid) | self.suspended
        return self._newest(
            number
            for number, status in self.statuses.items()
            if (status.author == uid or (uid, number) in self.bookmarks)
            and (status.author == uid or status.author not in hidden_authors)
            and self.may_see(uid, status)
            and self._matches(status, parts, login)
        )

    def _is_searchable(self, status: StatusRecord) -> bool:
        return (
            self.effective_visibility(status) is Visibility.PUBLIC
            and status.author not in self.suspended | self.hidden
        )

    def _matches(self, status: StatusRecord, parts: list[Part], login: str) -> bool:
        is_author = not login or self.logins[status.author] == login
        return is_author and matches(parts, status.text)

    @staticmethod
    def _newest(ids: object) -> list[int]:
        return sorted(ids, reverse=True)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("examples", [5, long(12)])
def test_search_equals_the_model(config: Config, examples: int) -> None:
    run_machine(SearchMachine, config, examples)
