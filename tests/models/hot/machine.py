"""The model of hot posts: every score worked out again from who likes and boosts what."""

from collections.abc import Iterable
from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.support.state_machines.expected import StatusRecord
from tests.support.state_machines.machine import MemberMachine
from tests.support.state_machines.strategies import members, posts, visibilities
from webapp.core.errors import Refused
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts, likes
from webapp.timelines.hot import keys, store

LANGUAGES = {"the wren sings in the old hedge": "en", "鹪鹩在树篱里歌唱": "zh", "!": ""}
TAGS = ("", " #birds", " #reeds", " #birds #reeds")
texts = st.tuples(st.sampled_from(sorted(LANGUAGES)), st.sampled_from(TAGS)).map("".join)
LIKES, BOOSTS = "likes", "boosts"
INTERACTIONS = {
    "like": (likes.like, LIKES),
    "unlike": (likes.unlike, LIKES),
    "boost": (boosts.boost, BOOSTS),
    "unboost": (boosts.unboost, BOOSTS),
}
ACTIONS = ("post", "post", "reply", "edit", "delete", *INTERACTIONS, "like", "like", "boost")
HALF_DAY_SECONDS = 43_200  # a like; a boost counts twice
DAYS_MAX = 2
Pairs = set[tuple[int, int]]


class HotMachine(MemberMachine):
    """Let members write, like and boost. `done`: who likes or boosts which status."""

    def __init__(self) -> None:
        super().__init__()
        self.done: dict[str, Pairs] = {LIKES: set(), BOOSTS: set()}

    @rule(
        uid=members,
        action=st.sampled_from(ACTIONS),
        back=posts,
        text=texts,
        visibility=visibilities,
    )
    def write_or_interact(
        self, uid: int, action: str, back: int, text: str, visibility: Visibility
    ) -> None:
        """Post, reply, edit, delete, or interact with an earlier status."""
        status_id = self.pick(back)
        if action == "post" or not status_id:
            self.post(uid, text, visibility=visibility)
        elif action == "reply":
            self.post(uid, text, reply=status_id)
        elif action == "edit":
            self._edit(status_id, text)
        elif action == "delete":
            self.delete(status_id)
        else:
            self._interact(uid, action, status_id)

    def _edit(self, status_id: int, text: str) -> None:
        status = self.statuses.get(status_id)
        if not status:
            return
        version = self.db.run(("HGET", status_keys.status(status_id), "edited")) or "0"
        with suppress(Refused):
            editing.edit(self.site, status.author, status_id, parse(text), "", version)
            status.text = text

    def _interact(self, uid: int, action: str, status_id: int) -> None:
        act, kind = INTERACTIONS[action]
        if not self.attempt(act, uid, status_id):
            return
        if action.startswith("un"):
            self.done[kind].discard((uid, status_id))
        else:
            self.done[kind].add((uid, status_id))

    def on_account_deleted(self, uid: int) -> None:
        for pairs in self.done.values():
            pairs -= {pair for pair in pairs if pair[0] == uid}

    def check(self) -> None:
        """Compare every group with the model. Once no event waits, both are equal."""
        visible = {
            number: status for number, status in self.statuses.items() if self._is_public(status)
        }
        shown = {number: one for number, one in visible.items() if not one.reply_to_uid}
        languages = {
            number: LANGUAGES[one.text.partition(" #")[0]] for number, one in shown.items()
        }
        assert self._stored(keys.hot_statuses()) == self._ranked(shown)
        assert set(self.db.read(store.hot_languages())) == set(languages.values()) - {""}
        for language in ("en", "zh"):
            expected = self._ranked(number for number in shown if languages[number] == language)
            assert self._stored(keys.hot_in_language(language)) == expected
        for tag in ("birds", "reeds"):
            expected = self._ranked(n for n, one in visible.items() if f"#{tag}" in one.text)
            assert self._stored(keys.hot_tagged(tag)) == expected

    def _is_public(self, status: StatusRecord) -> bool:
        return (
            status.visibility is Visibility.PUBLIC
            and status.author in self.visible_members
            and status.author not in self.protected
        )

    def _ranked(self, status_ids: Iterable[int]) -> list[tuple[int, int]]:
        """Return these statuses, the most popular first, each with how much later it ranks."""
        raised = ((number, self._raised_ms(number)) for number in status_ids)
        return sorted(raised, key=lambda pair: pair[0] + pair[1] * 4096, reverse=True)

    def _raised_ms(self, status_id: int) -> int:
        counts = {kind: len(self._counting(kind, status_id)) for kind in self.done}
        half_days = min(counts[LIKES] + 2 * counts[BOOSTS], 2 * DAYS_MAX)
        return half_days * HALF_DAY_SECONDS * 1_000

    def _counting(self, kind: str, status_id: int) -> set[int]:
        """Return the members whose like or boost counts."""
        author = self.statuses[status_id].author
        return {
            uid
            for uid, liked in self.done[kind]
            if liked == status_id and uid != author and uid not in self.suspended
        }

    def _stored(self, key: str) -> list[tuple[int, int]]:
        flat = self.db.run(("ZRANGE", key, 0, -1, "REV", "WITHSCORES"))
        entries = [(int(entry.partition(":")[0]), int(score)) for entry, score in pairs(flat)]
        return [(number, (score - number) // 4096) for number, score in entries]


def pairs(flat: list[str]) -> list[tuple[str, str]]:
    """Return a flat reply as pairs."""
    return list(zip(flat[::2], flat[1::2], strict=True))
