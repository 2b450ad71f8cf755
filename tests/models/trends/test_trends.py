"""Compare trends with a plain model, while members share and take back, and workers die.

When no event is waiting, the same trends at each hour of the next day, for everybody and without
what a member or the operator has hidden.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.trends.model import DAY_MS, HOUR_MS, MEMBERS_MIN, Use, ranking
from tests.support.state_machines.machine import MemberMachine, run_machine
from tests.support.state_machines.strategies import booleans, members, posts, visibilities
from webapp.config import Config
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts, keys as interaction_keys
from webapp.timelines.trends import counting, hidden, store
from webapp.timelines.trends.items import ms_of

ITEMS = ("#birds", "#reeds", "https://birds.press/dawn")
HOURS = (0, 2, 5, 11, 23, 24, 40)  # from now, at which trends are compared
texts = st.lists(st.sampled_from(ITEMS), min_size=1, unique=True).map(" ".join)
items = st.sampled_from(ITEMS)


class TrendMachine(MemberMachine):
    """Let members share and boost, and hide what trends. No account ends."""

    change_account = None  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.hidden: dict[int, set[str]] = {}
        self.suppressed: set[str] = set()

    def relate(self, uid: int, other: int, act: Callable[..., object]) -> None:
        """Let one member act on another, when the machine begins only."""
        self.attempt(act, uid, self.logins[other])

    @rule(uid=members, text=texts, visibility=visibilities)
    def share(self, uid: int, text: str, visibility: Visibility) -> None:
        """Post hashtags and a link, from the member's own network."""
        self.post(uid, text, visibility=visibility, network=f"net{uid}")

    @rule(back=posts, text=texts)
    def edit(self, back: int, text: str) -> None:
        """Take some of what an earlier post shares out of it, unless that is all.

        What an edit adds has no network, and is not what others boosted before.
        """
        status = self.statuses.get(status_id := self.pick(back))
        if status and (left := [item for item in status.text.split() if item in text]):
            text = " ".join(left)
            version = self.db.run(("HGET", status_keys.status(status_id), "edited")) or ""
            if self.attempt(editing.edit, status.author, status_id, parse(text), "", version):
                status.text = text

    @rule(back=posts)
    def delete_post(self, back: int) -> None:
        """Delete an earlier post."""
        self.delete(self.pick(back))

    @rule(uid=members, back=posts, takes_back=booleans)
    def boost(self, uid: int, back: int, takes_back: bool) -> None:
        """Boost an earlier post, or take that back."""
        if not (status_id := self.pick(back)):
            return
        if takes_back:
            self.attempt(boosts.unboost, uid, status_id)
        else:
            self.attempt(boosts.boost, uid, status_id, f"net{uid}")

    @rule(uid=members, item=items, shows=booleans)
    def hide(self, uid: int, item: str, shows: bool) -> None:
        """Hide a trend from one member, or show it again."""
        (hidden.unhide if shows else hidden.hide)(self.site, uid, item)
        change = set.discard if shows else set.add
        change(self.hidden.setdefault(uid, set()), item)

    @rule(item=items, shows=booleans)
    def suppress(self, item: str, shows: bool) -> None:
        """Hide a trend from everybody, or show it again."""
        (hidden.unsuppress if shows else hidden.suppress)(self.db, item)
        (self.suppressed.discard if shows else self.suppressed.add)(item)

    def check(self) -> None:
        """Compare what trends at several hours, and what each member is shown now."""
        now_ms = time.time_ns() // 1_000_000
        uses = list(self._uses())
        if len({use.at_ms // DAY_MS for use in uses}) > 1:
            return  # midnight: members of one network a day
        for hours in HOURS:
            at_ms = now_ms + hours * HOUR_MS
            found = counting.rank(self.db, at_ms)
            assert shown(found) == ranking(uses, at_ms), hours
        store.save(self.db, now_ms, counting.rank(self.db, now_ms))
        current = self.db.read(store.current())
        for uid in self.logins:
            own = store.without(current, self.db.read(hidden.hidden_by(uid)))
            left_out = self.suppressed | self.hidden.get(uid, set())
            expected = [item for item in ranking(uses, now_ms) if item not in left_out]
            assert shown(own) == expected, uid

    def _uses(self) -> Iterator[Use]:
        """Yield what counts: public posts, and boosts of them by others."""
        for status_id, status in self.statuses.items():
            if status.visibility is not Visibility.PUBLIC:
                continue
            sharers = {status.author: status_id}
            for uid in self.logins:
                member = f"{status_id}:{status.author}"
                score = self.db.run(("ZSCORE", interaction_keys.member_boosts(uid), member))
                if score and uid != status.author:
                    sharers[uid] = int(score)
            for item in status.text.split():
                yield from (Use(item, uid, ms_of(use_id)) for uid, use_id in sharers.items())


def shown(found: store.Ranking) -> list[str]:
    """Return the items of a ranking."""
    return [trend.item for trend in (*found.tags, *found.links)]


def test_trends_equal_the_model(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MEMBERS_MIN", MEMBERS_MIN)
    run_machine(TrendMachine, config, 8)
