"""Threads, notifications and the statuses that open pages add, as they must be with filters."""

from itertools import chain

from flask.testing import FlaskClient

from tests.models.filters.machine import FiltersMachineBase
from tests.models.filters.pages import (
    GAP,
    NOTIFICATION,
    NOTIFICATION_START,
    Token,
    hidden_count,
    visible_tokens,
    walk_pages,
)
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses import FilterSet, Status, by_ids, filters_of
from webapp.statuses.filters.filter_set import CONTEXTS
from webapp.statuses.hydration import complete
from webapp.statuses.listings.reply_runs import reply_runs
from webapp.statuses.threads import keys as thread_keys, replies, store as threads
from webapp.statuses.threads.replies import unpack_path


class PageChecks(FiltersMachineBase):
    """Compare pages with what the store has and filters leave."""

    def check_thread(self, client: FlaskClient, uid: int) -> None:
        """Hidden ancestors leave a gap; hidden descendants leave one if they have replies."""
        status_id = self._thread_to_check()
        status = self.statuses.get(status_id)
        path = f"/@{self.logins[status.author if status else 1]}/{status_id}"

        def read(after: str | None) -> threads.Thread:
            cursor = replies.parse_cursor(after)
            filters = FilterSet(self.db.read(filters_of(uid)), "thread", uid)
            return threads.thread(self.db, status_id, uid or None, cursor, 2, filters)

        for html, page in walk_pages(client, path, "after", read):
            above, _, below = html.partition('<section class="thread"')
            state = page.viewer_state
            own_tokens = self.expected_tokens(uid, "", [page.status], state)
            expected = [*self._ancestor_tokens(uid, page), *own_tokens]
            assert visible_tokens(above) == expected, path
            contents = (node.content for node in page.descendants)
            descendants = [content for content in contents if isinstance(content, Status)]
            visible = self.without_hidden(uid, "thread", descendants)
            tokens = [token for token in visible_tokens(below) if token[0] != GAP]
            # A reply whose event still waits is there only above a reply that is shown.
            if self._indexed_replies(status_id).issuperset(one.id for one in descendants):
                assert tokens == list(self.expected_tokens(uid, "thread", visible, state)), path

    def _indexed_replies(self, status_id: int) -> set[int]:
        """Return the ids of the statuses in the index of a thread."""
        paths = self.db.run(("ZRANGE", thread_keys.thread(status_id), 0, -1))
        return {unpack_path(path)[-1][0] for path in paths}

    def _thread_to_check(self) -> int:
        """Return a status that has a reply, if there is one, else any."""
        parents = [
            parent for status in self.statuses.values() if (parent := status.options.get("reply"))
        ]
        return parents[-1 - self.turn % len(parents)] if parents else self.pick(self.turn)

    def _ancestor_tokens(self, uid: int, page: threads.Thread) -> list[Token]:
        tokens = list[Token]()
        for ancestor in page.ancestors:
            if not isinstance(ancestor, Status) or self.hides(uid, "thread", ancestor.id):
                tokens.append((GAP, "gap"))
            else:
                tokens += self.expected_tokens(uid, "thread", [ancestor], page.viewer_state)
        return tokens

    def check_by_ids(self, client: FlaskClient, uid: int) -> None:
        """Compare the statuses that an open page adds."""
        context = CONTEXTS[self.turn % len(CONTEXTS)]
        ids = [self.pick(self.turn), self.pick(self.turn + 1)]
        items, viewer_state = by_ids.fetch(self.db, dict.fromkeys(ids, 0), uid)
        visible = self.without_hidden(uid, context, items)
        viewer_state = self.db.read(complete(uid, visible, viewer_state))
        response = client.get(f"/statuses?in={context}&ids={ids[0]},{ids[1]}")
        shown = chain.from_iterable(reply_runs(visible)) if context == "home" else visible
        expected = list(self.expected_tokens(uid, context, shown, viewer_state))
        assert visible_tokens(response.text) == expected

    def check_notifications(self, client: FlaskClient, uid: int) -> None:
        """Compare the folded and the hidden statuses of notifications, and how many are left."""
        context = "notifications"

        def read(before: int | None) -> notifications.NotificationsPage:
            return notifications.page(self.db, uid, kinds_in_tab("all"), before, 2, False)

        for html, page in walk_pages(client, "/notifications", "max_id", read):
            subjects = [group.status.id for group in page.items if group.status]
            visible = [subject for subject in subjects if not self.hides(uid, context, subject)]
            expected = [
                (str(subject), self.filtered_by(uid, context, subject)) for subject in visible
            ]
            assert NOTIFICATION.findall(html) == expected
            hidden_groups = len(subjects) - len(visible)
            assert html.count(NOTIFICATION_START) == len(page.items) - hidden_groups
            assert hidden_count(html) == len({*subjects} - {*visible})
