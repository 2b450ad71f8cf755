"""Statuses: their counts, lists, threads, quotes and histories."""

from collections.abc import Callable

from hypothesis.stateful import invariant

from tests.models.site.machine import SiteMachineBase
from tests.models.site.model.facts import NOTHING
from tests.support.schema import live_keys
from tests.support.statuses.edits import version_texts
from tests.support.statuses.interactions import bookmarked_ids, liked_ids
from tests.support.statuses.quotes import quoting_ids
from tests.support.statuses.threads import content_id, descendants, page, reply_ids
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.edits import keys as edit_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.threads import keys as thread_keys

LIST_KEYS = {
    "likers": interaction_keys.likers,
    "replies": thread_keys.replies,
    "thread": thread_keys.thread,
    "quotes": quote_keys.quotes,
    "detached": quote_keys.detached_quotes,
    "status_versions": edit_keys.status_versions,
}


class StatusChecks(SiteMachineBase):
    """Compare statuses with the model, as everybody and as each member sees them."""

    @invariant()
    def interactions_equal_the_model(self) -> None:
        """Lists of likers and boosters hold what was applied, and counts agree with them.

        The member's own like and boost count immediately.
        """
        visible = {uid: self.visible_members(uid) for uid in self.model.active_members}
        for status_id, author in self.model.statuses.items():
            likers = self._listed_and_counted(status_id, interaction_keys.likers, "likes")
            boosters = self._listed_and_counted(status_id, interaction_keys.boosters, "boosts")
            liked_by = self.model.likers(status_id)
            boosted_by = self.model.boosters(status_id)
            applied_likers = self.model.applied_likers[status_id]
            applied_boosters = self.model.applied_boosters[status_id]
            assert applied_likers & liked_by <= likers <= applied_likers | liked_by
            assert applied_boosters & boosted_by <= boosters <= applied_boosters | boosted_by
            for uid, authors in visible.items():
                if author not in authors or not self.model.may_see(uid, status_id):
                    continue
                status, state = statuses.get_with_state(self.db, status_id, uid)
                assert state.votes.get(status_id) == self.model.votes[status_id].get(uid)
                assert (status_id in state.liked) == (uid in liked_by)
                expected_likers = likers - {uid} | liked_by & {uid}
                assert state.like_count(status_id, status.likes) == len(expected_likers)
                expected_boosters = boosters - {uid} | boosted_by & {uid}
                assert state.boost_count(status_id, status.boosts) == len(expected_boosters)

    def _listed_and_counted(
        self, status_id: int, key: Callable[[int], str], field: str
    ) -> set[int]:
        """Return the members of a list of a status. Check that its stored count agrees."""
        uids, count = self.db.trip(
            ("ZRANGE", key(status_id), 0, -1), ("HGET", status_keys.status(status_id), field)
        )
        assert int(count or 0) == len(uids)
        return set(map(int, uids))

    @invariant()
    def bookmarks_and_likes_of_members_equal_the_model(self) -> None:
        for uid in self.model.active_members:
            authors = self.visible_members(uid)
            expected = [
                status
                for status in self.model.bookmarks[uid][::-1]
                if self.model.statuses.get(status) in authors and self.model.may_see(uid, status)
            ]
            assert bookmarked_ids(self.db, uid) == expected
            assert liked_ids(self.db, uid) == self.model.liked[uid]

    @invariant()
    def lists_of_statuses_belong_to_existing_statuses(self) -> None:
        """Those of a deleted account may not have been erased yet."""
        if self.model.deleted_members:
            return
        allowed = {key(status) for key in LIST_KEYS.values() for status in self.model.statuses}
        stored = {key for key in live_keys(self.db) if key.split(":")[0] in LIST_KEYS}
        assert stored <= allowed

    @invariant()
    def threads_equal_the_model(self) -> None:
        for status_id in self._public_threads():
            listed = reply_ids(self.db, status_id)
            applied = self.model.applied_replies[status_id]
            current = self.model.counted_replies(status_id)
            assert applied & current <= listed <= applied | current
            ancestors = [content_id(node) for node in page(self.db, status_id).ancestors]
            assert ancestors == [
                self._ancestor_content(ancestor) for ancestor in self.model.ancestors(status_id)
            ]
            shown = self._shown_descendants(status_id)
            assert shown <= self._visible_descendants(status_id)
            assert set(self.model.without_hidden(listed & current)) <= shown

    def check_complete_threads(self) -> None:
        """Check that threads show all replies, when no event is waiting."""
        for status_id in self._public_threads():
            assert self._shown_descendants(status_id) == self._visible_descendants(status_id)

    def _public_threads(self) -> list[int]:
        """Return the statuses that visitors may open."""
        return [
            status
            for status, author in self.model.statuses.items()
            if self.is_active(author) and self.model.only_unrestricted([status])
        ]

    def _shown_descendants(self, status_id: int) -> set[int]:
        """Return the statuses below a status, page by page, without tombstones."""
        return {
            content for content, _ in descendants(self.db, status_id, 2) if isinstance(content, int)
        }

    def _visible_descendants(self, status_id: int) -> set[int]:
        """Return the statuses below a status that visitors may see."""
        below = self.model.only_unrestricted(self.model.descendants(status_id))
        return set(self.model.without_hidden(below))

    def _ancestor_content(self, status_id: int) -> int | str:
        """Return what a thread shows in a status's place above a reply."""
        author = self.model.statuses.get(status_id)
        if author is None:
            return "deleted"
        is_restricted = not self.model.only_unrestricted([status_id])
        return "hidden" if author in self.model.suspended or is_restricted else status_id

    @invariant()
    def quotes_equal_the_model(self) -> None:
        for status_id in self.model.statuses:
            listed = set(quoting_ids(self.db, status_id))
            applied = self.model.applied_quotes[status_id]
            current = self.model.unrestricted_quotes(status_id)
            assert applied & current <= listed <= applied | current
        existing = self.model.quoted_ids.keys() & self.model.statuses.keys()
        for quote in self.model.only_unrestricted(existing):
            if self.is_active(self.model.statuses[quote]):
                card = page(self.db, quote).viewer_state.quote_cards[quote]
                shown = card.status.id if card.status else NOTHING
                assert shown == self._quoted_status(quote)

    def _quoted_status(self, quote: int) -> int:
        """Return the status that a quote shows, NOTHING if it shows none."""
        quoted = self.model.quoted_ids[quote]
        is_shown = (
            self.is_active(self.model.statuses.get(quoted))
            and quote not in self.model.detached
            and self.model.only_unrestricted([quoted])
        )
        return quoted if is_shown else NOTHING

    @invariant()
    def histories_equal_the_model(self) -> None:
        for status_id, author in self.model.statuses.items():
            if self.is_active(author):
                texts = [text for text, _ in version_texts(self.db, status_id, author)]
                assert texts == self.model.versions[status_id][::-1]
