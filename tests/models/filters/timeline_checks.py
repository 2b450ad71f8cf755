"""Timelines, as they must be with filters."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from flask.testing import FlaskClient

from tests.models.filters.machine import FiltersMachineBase
from tests.models.filters.model import LIST_NUMBER
from tests.models.filters.pages import (
    NEXT_PAGE,
    PAGES,
    hidden_count,
    visible_tokens,
    walk_pages,
    without_cards,
)
from tests.support import paging
from tests.support.pages import without_popular
from tests.support.timelines import home_timeline
from webapp.accounts import store as accounts
from webapp.core.store.ids import MAX_ID
from webapp.lists.timeline import list_page
from webapp.statuses import Item, Status, Timeline, ViewerState
from webapp.statuses.listings.reply_runs import reply_runs
from webapp.statuses.viewer.viewer_state import EMPTY_STATE
from webapp.timelines import keys as timeline_keys, store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page

FILLED_TIMELINES = ("home", "list", "public", "tag")  # other items take the place of hidden ones
TIMELINES = (*FILLED_TIMELINES, "profile", "replies")
ReadPage = Callable[[int | None], Timeline[Item] | Timeline[Status]]


class TimelineSource(NamedTuple):
    """The path of a timeline, its filter context, and a function that reads a page of it."""

    path: str
    context: str
    read: ReadPage


class TimelineChecks(FiltersMachineBase):
    """Compare timelines with what the store has and filters leave."""

    def check_timeline(self, client: FlaskClient, uid: int, kind: str) -> None:
        """Compare the first pages of a timeline for a member or a visitor (0)."""
        source = self._source(uid, kind)
        if uid and kind in FILLED_TIMELINES:
            return self._check_filled(client, uid, kind, source)
        path, context, read = source
        for html, page in walk_pages(client, path, "max_id", read):
            items = [*page.pinned, *page.items]
            visible = self.without_hidden(uid, context, items)
            expected = list(self.expected_tokens(uid, context, visible, page.viewer_state))
            assert visible_tokens(html) == expected, path
            assert hidden_count(html) == len(items) - len(visible), path

    def _check_filled(
        self, client: FlaskClient, uid: int, kind: str, source: TimelineSource
    ) -> None:
        """Compare pages that begin where the one before ends, and are full except the last.

        A home may be short, if statuses are gone as well; it may lack cards.
        """
        path, context, read = source
        items, state = _read_all(read)
        start = MAX_ID
        for _ in range(PAGES):
            response = client.get(path, query_string={"max_id": start} if start < MAX_ID else {})
            assert response.status_code == 200, path
            html = without_popular(response.text.partition("<main")[2])
            link = NEXT_PAGE.search(html)
            end = int(link[1]) if link else 0
            on_page = [item for item in items if end <= item.id < start]
            visible = self.without_hidden(uid, context, on_page)
            tokens = visible_tokens(html)
            if kind == "home":
                tokens, state = without_cards(tokens), EMPTY_STATE
            shown = chain.from_iterable(reply_runs(visible)) if context == "home" else visible
            assert tokens == list(self.expected_tokens(uid, context, shown, state)), path
            assert hidden_count(html) == len(on_page) - len(visible), path
            assert kind == "home" or not link or len(visible) == self.config.page_size, path
            if not link:
                return
            start = end

    def _source(self, uid: int, kind: str) -> TimelineSource:
        if kind == "home":
            return TimelineSource(
                "/home", "home", lambda before: home_timeline(self.site, uid, before)
            )
        if kind == "list":
            return TimelineSource(
                f"/@{self.logins[uid]}/lists/{LIST_NUMBER}",
                "home",
                lambda before: list_page(self.site, uid, LIST_NUMBER, uid, before)[1],
            )
        if kind in ("public", "tag"):
            return self._shared_source(uid, kind)
        return self._profile_source(uid, with_replies=kind == "replies")

    def _shared_source(self, uid: int, kind: str) -> TimelineSource:
        """Return the public timeline, or that of a tag."""
        viewer = uid or None

        def read_public(before: int | None) -> Timeline[Status]:
            return timelines.public(self.site, before, viewer)

        def read_tag(before: int | None) -> Timeline[Status]:
            return timelines.tagged(self.site, "bird", before, viewer)

        if kind == "public":
            read = self._after_cleanup(timeline_keys.public_timeline(), read_public)
            return TimelineSource("/public", "public", read)
        read = self._after_cleanup(timeline_keys.hashtag_statuses("bird"), read_tag)
        return TimelineSource("/tags/bird", "public", read)

    def _profile_source(self, uid: int, with_replies: bool) -> TimelineSource:
        """Return a tab of the profile of the member whose turn it is."""
        login = self.logins[1 + self.turn % len(self.logins)]
        viewer = self.db.read(accounts.get_or_404(uid)) if uid else None
        return TimelineSource(
            f"/@{login}/replies" if with_replies else f"/@{login}",
            "profile",
            lambda before: (
                profile_page(self.site, ProfileQuery(login, viewer, before, with_replies)).timeline
            ),
        )

    def _after_cleanup(self, key: str, read: ReadPage) -> ReadPage:
        """Return a read of a shared timeline that finds nothing to remove from it.

        A read removes entries without a status. A short page after it may end at another entry.
        """

        def read_until_clean(before: int | None) -> Timeline[Item] | Timeline[Status]:
            while True:
                size = self.db.run(("ZCARD", key))
                page = read(before)
                if self.db.run(("ZCARD", key)) == size:
                    return page

        return read_until_clean


def _read_all(read: ReadPage) -> tuple[list[Item], ViewerState]:
    """Return the items of all pages, with the cards of all."""
    found = list(paging.pages(read))
    cards = {one: card for page in found for one, card in page.viewer_state.quote_cards.items()}
    items = [item for page in found for item in page.items]
    return items, replace(found[-1].viewer_state, quote_cards=cards)
