"""Filters of words against a plain-Python model: each page where they act shows its reader what the model leaves of it,
folded up where the model says so, and leads on; whoever filters nothing is shown everything.

What would stand on a page without filters is read from the store, which test_model.py and test_model_lists.py hold to
models of their own; so a page is held to this whether anything waits or not. What visitors are shown may be kept, and
is looked at once nothing waits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from tests.support.schema import live_keys
from tests.support.state_machines import Society, members, posts, run_machine, visibilities, yes
from tests.support.timelines import home_timeline
from tests.system.test_pages import serving
from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.config import Config
from webapp.core.text.parser import parse
from webapp.errors import Forbidden, NotFound, Refused
from webapp.lists import store as lists
from webapp.lists.timeline import list_page
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses import by_ids
from webapp.statuses import keys as status_keys
from webapp.statuses.edits import editing, pins
from webapp.statuses.filters import keys as filter_keys
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.store import CONTEXTS, Filter
from webapp.statuses.hydration import complete
from webapp.statuses.interactions import boosts
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.items import Boost, Item, status_of
from webapp.statuses.polls.poll import Poll
from webapp.statuses.status import Status
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page
from webapp.timelines.timeline import Timeline

FILTERS = 3  # of one member
LIST = 1  # the number of the list that each reader has
TAG = " #bird"
ACTS = (
    "post",
    "post",
    "reply",
    "reply",
    "reply",
    "quote",
    "boost",
    "boost",
    "pin",
    "edit",
    "delete",
)
SAID = ("a crumb", "Breadcrumbs", "CRUMB pie", "一只麻雀在唱歌", "a song")
ENDED, LATER = 1, 4_000_000_000  # unix seconds
READERS = (1, 2, 1, 2, 3)  # who looks at pages, in turns: two filter, and others do not
DEEP = 3  # pages that one looks at in a row
TIMELINES = ("home", "list", "public", "tag", "profile", "replies")
KINDS = (*TIMELINES, "thread", "notifications", "several", "thread", "notifications")
OPEN = ("public", "tag", "profile", "replies", "thread")  # to visitors
BOOST, FOLDED, POST, CARD, GAP = range(1, 6)
SHOWN = re.compile(
    r'<p class="boosted" data-boost="(\d+)"|<details class="filtered"><summary>.*?<bdi>(.*?)</bdi>'
    r'|<article [^>]*id="status-(\d+)"|<a class="post-card" href="/@\w+/(\d+)"|<p class="thread-(gap)"',
    re.DOTALL,
)
TOLD = re.compile(
    r'<p class="told-status"[^>]*><a href="/@\w+/(\d+)">(?:Filtered: <bdi>(.*?)</bdi>)?'
)
NEXT = re.compile(r'<a\s(?=[^>]*rel="next")[^>]*href="[^"?]+\?(?:max_id|after)=([^"&]+)"')
LEFT_OUT = re.compile(r"Your filters leave out (\d+) post")
Act = tuple[
    int, str, dict[str, Any], int
]  # whose, what, with which words, on the status of how many posts ago
Token = tuple[int, str]  # one of BOOST … GAP: the boost's id; for which words; the status's id
readers = st.sampled_from(READERS[:2])
authors = st.sampled_from([1, 2, 3, 3, 4, 4])
saying = st.fixed_dictionaries(
    {
        "says": st.sampled_from(SAID),
        "part": st.sampled_from(["text", "text", "cw", "poll"]),
        "named": st.none() | readers,
        "visibility": st.just(Visibility.PUBLIC) | visibilities,
    }
)
acts = st.tuples(authors, st.sampled_from(ACTS), saying, posts)
sieves = st.builds(
    Filter,
    words=st.sampled_from(["Crumb", "crumb", "crumb", "麻雀", "song"]),
    whole_word=yes,
    contexts=st.just(CONTEXTS)
    | st.sets(st.sampled_from(CONTEXTS), min_size=1).map(lambda some: tuple(sorted(some))),
    expires_at=st.sampled_from([0, 0, LATER, LATER, ENDED]),
    hide=yes,
)


class Filtering(Society):
    """Members write, boost and pin; two of them filter words, and everybody looks at pages."""

    app: Flask

    def __init__(self) -> None:
        super().__init__()
        self.filters: dict[int, dict[int, Filter]] = {}  # by member and number
        self.saved = Counter[int]()  # how many each has made so far
        self.turn = 0

    @initialize(
        pairs=st.sets(st.tuples(members, members), max_size=6),
        wrote=st.lists(acts, min_size=4, max_size=9),
        kept=st.lists(st.tuples(readers, sieves), min_size=2, max_size=4),
    )
    def begin(
        self, pairs: set[tuple[int, int]], wrote: list[Act], kept: list[tuple[int, Filter]]
    ) -> None:
        """Some have written something already; the readers follow others, have them on lists, and filter."""
        self.people(pairs | {(1, 3), (1, 4), (2, 1), (2, 3)})
        for uid in sorted(set(READERS)):
            assert lists.create(self.db, self.config, uid, "Birds", False, False) == LIST
            for other in self.logins.keys() - {uid}:
                lists.set_memberships(self.db, self.config, uid, self.logins[other], {LIST: True})
        for at, (uid, what, says, back) in enumerate(wrote):
            self._act(uid, what if at > 3 else ACTS[at], says, back)
        for uid, one in kept:
            self.tend(uid, "make", one, 0)
        self.settle()

    @rule(said=st.lists(acts, min_size=1, max_size=3))
    def say(self, said: list[Act]) -> None:
        """What members write, and do with what is written."""
        for uid, what, says, back in said:
            self._act(uid, what, says, back)

    @rule(
        uid=readers,
        what=st.sampled_from(["make", "make", "make", "change", "change", "drop", "end"]),
        one=sieves,
        at=st.integers(1, FILTERS + 2),
    )
    def tend(self, uid: int, what: str, one: Filter, at: int) -> None:
        """Makes a filter, changes or drops one that may not be there, or the time of one is over."""
        own = self.filters.setdefault(uid, {})
        if what == "drop":
            filters.delete(self.db, uid, at)
            filters.delete(self.db, uid, at)
            own.pop(at, None)
        elif what == "end" and at in own:
            own[at] = over = replace(own[at], expires_at=ENDED)
            parts = [over.words, over.whole_word, over.contexts, over.expires_at, over.hide]
            self.db.run(("HSET", filter_keys.filters(uid), at, orjson.dumps(parts).decode()))
        elif what != "end":
            self._save(uid, replace(one, number=0 if what == "make" else at), own)

    def left(self, uid: int) -> None:
        self.filters.pop(uid, None)

    @invariant()
    def filters_are_as_they_were_left(self) -> None:
        for uid in self.logins.keys() - self.gone:
            own = self.filters.get(uid, {})
            found = self.db.read(filters.filters_of(uid))
            assert found == tuple(own[number] for number in sorted(own, reverse=True))

    @invariant()
    def a_page_shows_what_the_filters_of_its_reader_leave(self) -> None:
        """One kind of page after the other, before one reader after the other."""
        self.turn += 1
        uid = READERS[self.turn % len(READERS)]
        if uid in self.here:
            self._look(uid, KINDS[self.turn % len(KINDS)])

    def check(self) -> None:
        there = {key for key in live_keys(self.db) if key.startswith("filters:")}
        assert there == {filter_keys.filters(uid) for uid, own in self.filters.items() if own}
        self._look(0, OPEN[self.turn % len(OPEN)])

    # What is so

    def _act(self, uid: int, what: str, says: dict[str, Any], back: int) -> None:
        status_id = self.pick(back)
        one = self.statuses.get(status_id)
        if what == "boost":
            self.does(boosts.boost, uid, status_id)
        elif what == "delete":
            self.delete(status_id)
        elif what == "pin" and one:
            self.does(pins.pin, one.author, status_id)
        elif what == "edit" and one:
            text = says["says"] + one.text[one.text.index(TAG) :]
            version = self.db.run(("HGET", status_keys.status(status_id), "edited")) or "0"
            if self.does(
                editing.edit, one.author, status_id, parse(text), one.said.get("cw", ""), version
            ):
                one.text = text
        else:
            self._write(
                uid, says, **({what: status_id} if what in ("reply", "quote") and status_id else {})
            )

    def _write(self, uid: int, says: dict[str, Any], **about: int) -> None:
        said, part = dict[str, Any](about), says["part"]
        if part == "cw":
            said["cw"] = says["says"]
        elif part == "poll":
            said["poll"] = Poll((says["says"], "reeds"), 60)
        if "reply" not in about:
            said["visibility"] = says["visibility"]
        named = f" @{self.logins[says['named']]}" if says["named"] else ""
        self.write(uid, (says["says"] if part == "text" else "hello") + TAG + named, **said)

    def _save(self, uid: int, one: Filter, own: dict[int, Filter]) -> None:
        full = "filters_full" if not one.number and len(own) == FILTERS else None
        lost = "no_filter" if one.number and one.number not in own else None
        if why := self.barred(uid) or full or lost:
            with pytest.raises(Refused, match=why):
                filters.save(self.db, self.config, uid, one)
            return
        number = filters.save(self.db, self.config, uid, one)
        self.saved[uid] += not one.number
        assert number == (one.number or self.saved[uid])
        own[number] = replace(one, number=number)

    def _found(self, uid: int, where: str, status_id: int) -> list[Filter]:
        """A member's filters that find a status in such a place, the newest first."""
        one = self.statuses[status_id]
        if one.author == uid:
            return []
        poll = one.said.get("poll")
        says = " ".join(
            (one.text, one.said.get("cw", ""), *(poll.options if poll else ()))
        ).casefold()
        held = sorted(self.filters.get(uid, {}).items(), reverse=True)
        return [
            each
            for _, each in held
            if where in each.contexts and each.expires_at != ENDED and _has(says, each)
        ]

    def _words(self, uid: int, where: str, status_id: int) -> list[Token]:
        """For which words a status is folded up."""
        return [(FOLDED, one.words) for one in self._found(uid, where, status_id)[:1]]

    def _hidden(self, uid: int, where: str, status_id: int) -> bool:
        return any(one.hide for one in self._found(uid, where, status_id))

    def _shown(
        self, uid: int, where: str, items: Iterable[Item], acts: ViewerState
    ) -> Iterator[Token]:
        """What is to be seen of these, which nothing hides."""
        for item in items:
            status = status_of(item)
            if isinstance(item, Boost):
                yield BOOST, str(item.id)
            yield from self._words(uid, where, status.id)
            yield POST, str(status.id)
            card = acts.quote_cards.get(status.id)
            if card and card.status and not card.muted:
                yield from self._words(uid, where, card.status.id)
                yield CARD, str(card.status.id)

    # Pages

    def _look(self, uid: int, kind: str) -> None:
        """A member, or a visitor (0), looks at the first pages of a kind, on what it is the turn of."""
        browser = self.app.test_client()
        if uid:
            epoch = self.db.run(("HGET", account_keys.user(uid), "epoch")) or sessions.INITIAL_EPOCH
            browser.set_cookie(COOKIE_NAME, sessions.start(self.db, self.config, uid, epoch))
        if kind in TIMELINES:
            self._look_at_timeline(browser, uid, kind)
        else:
            getattr(self, f"_look_at_{kind}")(browser, uid)

    def _look_at_timeline(self, browser: FlaskClient, uid: int, kind: str) -> None:
        login = self.logins[1 + self.turn % len(self.logins)]
        path, where, read = self._timeline(uid, kind, login)
        for text, page in _pages(browser, path, "max_id", read):
            every = [*page.pinned, *page.items]
            left = [item for item in every if not self._hidden(uid, where, status_of(item).id)]
            assert _tokens(text) == list(self._shown(uid, where, left, page.viewer_state)), path
            assert _left_out(text) == len(every) - len(left), path

    def _timeline(
        self, uid: int, kind: str, login: str
    ) -> tuple[str, str, Callable[[int | None], Timeline[Item] | Timeline[Status]]]:
        """Its address, where that is for filters, and what reads a page of it."""
        db, config = self.db, self.config
        if kind == "home":
            return "/home", "home", lambda at: home_timeline(db, config, uid, at)
        if kind == "list":
            path = f"/@{self.logins[uid]}/lists/{LIST}"
            return path, "home", lambda at: list_page(db, config, uid, LIST, uid, at)[1]
        if kind == "public":
            return "/public", "public", lambda at: timelines.public(db, config, at, uid or None)
        if kind == "tag":
            return (
                "/tags/bird",
                "public",
                lambda at: timelines.tagged(db, config, "bird", at, uid or None),
            )
        path, reader = (
            f"/@{login}" + "/replies" * (kind == "replies"),
            db.read(accounts.get_or_404(uid)) if uid else None,
        )
        return (
            path,
            "profile",
            lambda at: profile_page(db, config, login, reader, at, kind == "replies").timeline,
        )

    def _look_at_thread(self, browser: FlaskClient, uid: int) -> None:
        """What is hidden above leaves a gap; what is hidden below may leave one, for what answers it."""
        answers = [reply for one in self.statuses.values() if (reply := one.said.get("reply"))]
        status_id = answers[-1 - self.turn % len(answers)] if answers else self.pick(self.turn)
        one = self.statuses.get(status_id)
        path = f"/@{self.logins[one.author if one else 1]}/{status_id}"

        def read(after: str | None) -> threads.Thread:
            return threads.thread(self.db, status_id, uid or None, threads.parse_cursor(after), 2)

        for text, page in _pages(browser, path, "after", read):
            above, _, below = text.partition('<section class="thread"')
            expected = list[Token]()
            for each in page.ancestors:
                hides = not isinstance(each, Status) or self._hidden(uid, "thread", each.id)
                expected += (
                    [(GAP, "gap")]
                    if hides
                    else self._shown(uid, "thread", [each], page.viewer_state)
                )
            assert _tokens(above) == [
                *expected,
                *self._shown(uid, "", [page.status], page.viewer_state),
            ], path
            left = [node.content for node in page.descendants if isinstance(node.content, Status)]
            left = [each for each in left if not self._hidden(uid, "thread", each.id)]
            tokens = [token for token in _tokens(below) if token[0] != GAP]
            assert tokens == list(self._shown(uid, "thread", left, page.viewer_state)), path

    def _look_at_several(self, browser: FlaskClient, uid: int) -> None:
        """What is added to a page that is open."""
        where, ids = (
            CONTEXTS[self.turn % len(CONTEXTS)],
            [self.pick(self.turn), self.pick(self.turn + 1)],
        )
        items, acts = by_ids.fetch(self.db, dict.fromkeys(ids, 0), uid)
        left = [item for item in items if not self._hidden(uid, where, status_of(item).id)]
        acts = self.db.read(complete(uid, left, acts))
        answer = browser.get(f"/statuses?in={where}&ids={ids[0]},{ids[1]}")
        assert _tokens(answer.text) == list(self._shown(uid, where, left, acts))

    def _look_at_notifications(self, browser: FlaskClient, uid: int) -> None:
        def read(before: int | None) -> notifications.NotificationsPage:
            return notifications.page(self.db, uid, kinds_in_tab("all"), before, 2, False)

        where = "notifications"
        for text, page in _pages(browser, "/notifications", "max_id", read):
            about = [group.status.id for group in page.items if group.status]
            left = [one for one in about if not self._hidden(uid, where, one)]
            words = [next((words for _, words in self._words(uid, where, one)), "") for one in left]
            assert TOLD.findall(text) == list(zip(map(str, left), words, strict=True))
            assert text.count('<li class="told') == len(page.items) - len(about) + len(left)
            assert _left_out(text) == len({*about} - {*left})


def _has(says: str, one: Filter) -> bool:
    """Whether a text has the words of a filter; there are no words in Chinese that a blank would tell apart."""
    words = one.words.casefold()
    return words in says.split() if one.whole_word and words.isascii() else words in says


def _pages(
    browser: FlaskClient, path: str, name: str, read: Callable[[Any], Any]
) -> Iterator[tuple[str, Any]]:
    """What stands on each page, and what would stand there without filters; the page leads on as that does."""
    at: Any = None
    for _ in range(DEEP):
        try:
            page = read(at)
        except (NotFound, Forbidden) as refusal:
            assert browser.get(path).status_code == refusal.status
            return
        answer = browser.get(path, query_string={name: at} if at is not None else {})
        assert answer.status_code == 200, path
        text = answer.text.partition("<main")[2]
        yield text, page
        onward = NEXT.search(text)
        assert (onward[1] if onward else None) == (
            str(page.next) if page.next is not None else None
        ), path
        if page.next is None:
            return
        at = page.next


def _tokens(text: str) -> list[Token]:
    return [(kind, found[kind]) for found in SHOWN.finditer(text) if (kind := found.lastindex)]


def _left_out(text: str) -> int:
    found = LEFT_OUT.search(text)
    return int(found[1]) if found else 0


def test_pages_equal_the_model_of_filters(settings: Config) -> None:
    changes: dict[str, Any] = {"filters_max": FILTERS, "inline_projections": False}
    with serving(replace(settings, merged_seconds=0, page_size=2, **changes)) as app:
        run_machine(type("Filtering", (Filtering,), {"app": app}), settings, 14, **changes)
