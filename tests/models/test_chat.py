"""Chat against a plain-Python model: whatever members do, in whatever order, and however workers die, every member
fetches every message that was sent while they belonged, exactly once, and none from before (unless newcomers may see
it) or after.

A chat itself is read as it is, whatever waits. What a member's list says of it (which chats, how much is unread) shows
what was applied, and the truth once nothing waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.conftest import PASSWORD, connect_raw
from tests.support import worker
from tests.support.chat import (
    draft,
    entries,
    expire_leases,
    fetch,
    forwards,
    key,
    left_of,
    takeover,
    whole,
)
from tests.support.schema import check_schema
from webapp.accounts import registration
from webapp.chat import keys as chat_keys
from webapp.chat.api import fetch as api_fetch
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, membership
from webapp.chat.messages import reading, sending
from webapp.config import Config
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.errors import LeaseLost, Refused
from webapp.following import store as following

BIRDS = ("wren", "lark", "finch", "swift", "crane")
KINDS = ("private", "open", "announcement")
EMOJI = ("👍", "🐦")
KIND = st.sampled_from(KINDS)
BIRD = st.integers(0, len(BIRDS) - 1)
ACTOR = st.integers(
    0, 2 * len(BIRDS) - 1
)  # any bird or, for the rest, one that belongs to the chat, or owns it
GROUPS_MAX = 3  # at a time, so that much happens in each
FLOCK = st.lists(BIRD, unique=True, max_size=3)
BACK = st.integers(
    -1, 6
)  # a message by how far it stands behind the newest; it may not be there yet, or not any more


@dataclass
class Said:
    """A message."""

    by: int
    text: str
    edited: bool = False
    gone: bool = False
    reactions: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Chat:
    """What is true of a chat. `owed`: what each member is still to fetch, in order."""

    kind: str
    by: int
    history: int
    shared: bool = False
    keep: str = "history"
    name: str = "Larks"
    answered: bool = True
    members: list[int] = field(default_factory=list)  # in the order they came
    owners: set[int] = field(default_factory=set)
    first_seen: dict[int, int] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    owed: dict[int, list[int]] = field(default_factory=dict)
    messages: dict[int, Said] = field(default_factory=dict)
    last: int = 0
    removed: set[int] = field(default_factory=set)  # whom an owner took out

    def enter(self, uid: int, shared: bool = False) -> None:
        before = [*self.messages] if shared else []
        self.members.append(uid)
        self.first_seen[uid] = min(before, default=self.last + 1)
        self.read[uid], self.owed[uid] = self.last, before

    def take_out(self, uid: int) -> None:
        self.members.remove(uid)
        self.owners.discard(uid)
        del self.owed[uid], self.read[uid], self.first_seen[uid]
        if self.members and not self.owners and self.kind != "direct":
            self.owners.add(self.members[0])
        self.collect()

    def say(self, uid: int, text: str) -> int:
        self.last += 1
        self.messages[self.last] = Said(uid, text)
        if self.read[uid] == self.last - 1:  # who had read all that was before has read this too
            self.read[uid] = self.last
        for owed in self.owed.values():
            owed.append(self.last)
        self.drop(self.last - self.history)
        return self.last

    def drop(self, upto: int) -> None:
        for number in [number for number in self.messages if number <= upto]:
            del self.messages[number]
        for owed in self.owed.values():
            owed[:] = [number for number in owed if number > upto]

    def fetched(self, uid: int, upto: int) -> None:
        self.owed[uid] = [number for number in self.owed[uid] if number > upto]
        self.collect()

    def collect(self) -> None:
        """Where messages go once everybody has got them, by fetching or by reading, they go."""
        if self.keep == "fetched" and self.members:
            self.drop(
                min(
                    max(self.read[uid], (self.owed[uid] or [self.last + 1])[0] - 1)
                    for uid in self.members
                )
            )

    def visible(self, uid: int) -> dict[int, Said]:
        return {
            number: said for number, said in self.messages.items() if number >= self.first_seen[uid]
        }

    def unread(self, uid: int) -> int:
        return self.last - self.read[uid]


@contextmanager
def refused(code: str | None) -> Iterator[None]:
    """The block is refused with this code; where there is none, it is not."""
    if code is None:
        yield
        return
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.code == code


class Machine(RuleBasedStateMachine):
    """Members chat, workers apply and die, in any order."""

    config: Config
    chats = Bundle("chats")

    def __init__(self) -> None:
        super().__init__()
        raw = connect_raw(self.config)
        raw.on_every_primary("FLUSHALL")
        raw.close()
        self.db = connect(self.config)
        self.model: dict[str, Chat] = {}
        self.ended: set[str] = set()
        self.sent: list[tuple[str, int, str, str, int]] = []  # chat, sender, key, text, id
        self.touched: set[str] = set()
        self.workers = 0
        self.zombies: list[tuple[PartitionConsumer, Any]] = []

    @initialize()
    def arrive(self) -> None:
        """The first bird and all others follow each other; the rest are strangers."""
        self.uids = [
            registration.sign_up(self.db, self.config, one, one, PASSWORD).uid for one in BIRDS
        ]
        for uid, login in list(zip(self.uids, BIRDS, strict=True))[1:]:
            following.follow(self.db, self.config, uid, BIRDS[0])
            following.follow(self.db, self.config, self.uids[0], login)

    # Groups

    @precondition(
        lambda self: sum(chat.kind != "direct" for chat in self.model.values()) < GROUPS_MAX
    )
    @rule(
        target=chats, bird=BIRD, kind=KIND, flock=FLOCK, shared=st.booleans(), opening=st.booleans()
    )
    def create(self, bird: int, kind: str, flock: list[int], shared: bool, opening: bool) -> str:
        uid, others = self.uids[bird], [self.uids[one] for one in flock if one != bird]
        first, mark = draft("hello") if opening else None, key()
        made = [
            groups.create(
                self.db, self.config, uid, kind, "Larks", others, first, mark, shared=shared
            )
            for _ in range(2)
        ]
        assert made[0] == made[1]  # the form was sent twice
        chat = self.model[made[0]] = Chat(kind, uid, self.config.chat_history, shared)
        chat.owners.add(uid)
        for one in (uid, *others):
            chat.enter(one)
        if opening:
            chat.say(uid, "hello")
        self.touched.add(made[0])
        return made[0]

    @rule(cid=chats, bird=BIRD)
    def join(self, cid: str, bird: int) -> None:
        uid, chat = self.uids[bird], self.model.get(cid)
        code = "no_chat" if not chat or (uid not in chat.members and chat.kind != "open") else None
        if chat and uid in chat.removed:
            code = "taken_out"
        with refused(code):
            membership.join(self.db, self.config, uid, cid)
            if chat and uid not in chat.members:
                chat.enter(uid, chat.shared)
        self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR)
    def leave(self, cid: str, bird: int) -> None:
        uid, chat = self._member(cid, bird), self.model.get(cid)
        with refused(None if chat and chat.kind != "direct" else "no_chat"):
            membership.leave(self.db, self.config, uid, cid)
            if chat and uid in chat.members:
                self._take_out(cid, chat, uid)
        self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, flock=FLOCK)
    def add(self, cid: str, bird: int, flock: list[int]) -> None:
        uid, chat = self._owner(cid, bird), self.model.get(cid)
        others = [self.uids[one] for one in flock if self.uids[one] != uid]
        code = self._refusal(cid, uid, owner=bool(chat and chat.kind == "announcement"))
        if chat and not code and uid not in chat.owners and chat.removed & {*others}:
            code = "only_owners"  # whom one took out, one brings back
        with refused(code):
            membership.add(self.db, self.config, uid, cid, others)
            for other in others:
                if chat and other not in chat.members:
                    chat.enter(other, chat.shared)
                    chat.removed.discard(other)
        self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, other=BIRD)
    def remove(self, cid: str, bird: int, other: int) -> None:
        uid, who, chat = self._owner(cid, bird), self.uids[other], self.model.get(cid)
        with refused(
            self._refusal(cid, uid, owner=True) if uid != who or not self._group(cid) else None
        ):
            membership.remove(self.db, self.config, uid, cid, who)
            if chat and who in chat.members:
                self._take_out(cid, chat, who)
                chat.removed |= {who} - {uid}
        self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, other=BIRD, on=st.booleans())
    def own(self, cid: str, bird: int, other: int, on: bool) -> None:
        uid, who, chat = self._owner(cid, bird), self.uids[other], self.model.get(cid)
        code = self._refusal(cid, uid, owner=True)
        if chat and not code and who not in chat.members:
            code = "no_member"
        elif chat and not code and not on and chat.owners == {who}:
            code = "last_owner"
        with refused(code):
            (membership.promote if on else membership.demote)(self.db, uid, cid, who)
            if chat:
                (chat.owners.add if on else chat.owners.discard)(who)
        self.touched.add(cid)

    @rule(
        cid=chats,
        bird=ACTOR,
        what=st.sampled_from(["name", "shared", "keep", "kind"]),
        at=st.integers(0, 2),
    )
    def change(self, cid: str, bird: int, what: str, at: int) -> None:
        uid, chat = self._owner(cid, bird), self.model.get(cid)
        choices: dict[str, Sequence[Any]] = {
            "name": ("Larks", "Wrens", "麻雀"),
            "shared": (False, True, True),
            "keep": ("history", "fetched", "fetched"),
            "kind": KINDS,
        }
        with refused(self._refusal(cid, uid, owner=True)):
            groups.change(self.db, self.config, uid, cid, **{what: choices[what][at]})
            if chat:
                setattr(chat, what, choices[what][at])
                chat.collect()
        self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, sure=st.integers(0, 2))
    def destroy(self, cid: str, bird: int, sure: int) -> None:
        uid = self._owner(cid, bird)
        if sure:
            return
        with refused(self._refusal(cid, uid, owner=True)):
            groups.delete(self.db, self.config, uid, cid)
            self._end(cid)

    # Messages

    @rule(cid=chats, bird=ACTOR, count=st.integers(1, 3))
    def send(self, cid: str, bird: int, count: int) -> None:
        uid, chat = self._member(cid, bird), self.model.get(cid)
        if chat and chat.kind == "direct":
            self._write(*sorted(chat.members, key=lambda one: one != uid))
            return
        code = self._refusal(cid, uid, owner=bool(chat and chat.kind == "announcement"))
        with refused(code):
            for _ in range(count):
                self._send(cid, uid)

    @rule(target=chats, bird=BIRD, other=BIRD)
    def write(self, bird: int, other: int) -> Any:
        """A message to one other member, whoever opens it."""
        return multiple() if bird == other else self._write(self.uids[bird], self.uids[other])

    def _write(self, uid: int, who: int) -> str:
        cid = direct_id(uid, who)
        chat = self.model.get(cid)
        waits = (
            chat
            and not chat.answered
            and chat.by == uid
            and chat.last >= self.config.chat_request_max
        )
        with refused("request_waits" if waits else None):
            if not chat:
                chat = Chat(
                    "direct", uid, self.config.chat_history, answered=self._follows(who, uid)
                )
                for one in (uid, who):
                    chat.enter(one)
                self.model[cid] = chat
            self._send(cid, uid)
            chat.answered = chat.answered or chat.by != uid
        return cid

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """A client that got no answer sends again with the same key."""
        cid, uid, mark, text, number = data.draw(st.sampled_from(self.sent))
        if cid in self.model and uid in self.model[cid].members:
            assert sending.send(self.db, self.config, uid, cid, draft(text), mark) == number
            self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, back=BACK)
    def edit(self, cid: str, bird: int, back: int) -> None:
        uid, chat, number = self._member(cid, bird), self.model.get(cid), self._number(cid, back)
        said, code = self._message(cid, uid, number)
        stored = chat.messages.get(number) if chat else None
        if not stored or stored.gone:
            said, code = None, "no_message"
        elif said and said.by != uid:
            code = "not_yours"
        elif said and chat and chat.kind == "announcement" and uid not in chat.owners:
            code = "only_owners"
        with refused(code):
            parsed = parse(f"edited by {uid}")
            sending.edit(self.db, self.config, uid, cid, number, parsed.text, parsed.entities)
            if said:
                said.text, said.edited = parsed.text, True
        if chat:
            self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, back=BACK)
    def delete(self, cid: str, bird: int, back: int) -> None:
        uid, chat, number = self._member(cid, bird), self.model.get(cid), self._number(cid, back)
        said, code = self._message(cid, uid, number)
        if said and chat and said.by != uid and uid not in chat.owners:
            code = "not_yours"
        with refused(code):
            sending.delete(self.db, self.config, uid, cid, number)
            if said:
                said.text, said.gone, said.edited, said.reactions = "", True, False, {}
        if chat:
            self.touched.add(cid)

    @rule(cid=chats, bird=ACTOR, back=BACK, emoji=st.sampled_from(EMOJI), on=st.booleans())
    def react(self, cid: str, bird: int, back: int, emoji: str, on: bool) -> None:
        uid, number = self._member(cid, bird), self._number(cid, back)
        said, code = self._message(cid, uid, number)
        if said and said.gone:
            code = "no_message"
        with refused(code):
            sending.react(self.db, self.config, uid, cid, number, emoji, on)
            if said:
                uids = [one for one in said.reactions.pop(emoji, []) if one != uid or on]
                uids += [uid] if on and uid not in uids else []
                said.reactions |= {emoji: uids} if uids else {}
        if cid in self.model:
            self.touched.add(cid)

    # Reading

    @rule(bird=BIRD, noted=st.booleans())
    def fetch(self, bird: int, noted: bool) -> None:
        self._fetch(self.uids[bird], noted)

    @rule(bird=BIRD)
    def answer_lost(self, bird: int) -> None:
        """A script fetches without noting it, is cut off, fetches again and only then says what it has."""
        uid = self.uids[bird]
        self._fetch(uid, False)
        for cid, ids in self._fetch(uid, False).items():
            api_fetch.mark_fetched(self.db, uid, {cid: ids[-1]})
            self.model[cid].fetched(uid, ids[-1])

    @rule(cid=chats, bird=ACTOR, back=BACK)
    def read(self, cid: str, bird: int, back: int) -> None:
        """A page was looked at, up to a message. Only forward."""
        uid, chat, upto = self._member(cid, bird), self.model.get(cid), self._number(cid, back)
        with refused(None if chat and uid in chat.members else "not_in_chat"):
            chat_state.mark_read(self.db, uid, cid, upto)
            if chat:
                chat.read[uid] = max(chat.read[uid], min(upto, chat.last))
                chat.collect()
        self.touched.add(cid)

    # Workers

    @rule(cid=chats, count=st.integers(1, 3), dies=st.booleans())
    def work(self, cid: str, count: int, dies: bool) -> None:
        """A worker applies a few of a partition's events, and may die before it says so."""
        self.workers += 1
        box = takeover(
            self.db, self.config, chat_keys.chat_partition(cid), f"worker-{self.workers}"
        )
        reply = entries(self.db, box)
        if not reply:
            return
        some = [[reply[0][0], reply[0][1][:count]]]
        if dies:
            box._acknowledge = lambda done: None  # type: ignore[method-assign]
            self.zombies.append((box, some))
        box.apply(some, lambda: None)

    @precondition(lambda self: self.zombies)
    @rule(data=st.data())
    def return_from_the_dead(self, data: st.DataObject) -> None:
        """A worker that was thought dead goes on with what it had in hand."""
        box, reply = data.draw(st.sampled_from(self.zombies))
        try:
            box.apply(reply, lambda: None)
        except LeaseLost:
            return

    @rule()
    def settle(self) -> None:
        """Everything is applied: each member's list is as the model has it."""
        self.workers += 1
        expire_leases(self.db, range(64))
        worker.drain(self.db, self.config, f"settler-{self.workers}")
        for uid in self.uids:
            rows = listing.inbox(self.db, uid)
            expected = {
                cid: chat.unread(uid) for cid, chat in self.model.items() if uid in chat.members
            }
            assert {row.chat.id: row.unread for row in rows} == expected
            assert len(rows) == len(expected)
            for row in rows:
                chat = self.model[row.chat.id]
                newest = chat.messages.get(chat.last) if chat.last >= chat.first_seen[uid] else None
                assert (row.newest and row.newest.text) == (newest and newest.text)
            listed, fields = self.db.trip(
                ("ZRANGE", chat_keys.member_chats(uid), 0, -1),
                ("HKEYS", chat_keys.member_chat_state(uid)),
            )
            assert set(listed) == {name.split(":")[1] for name in fields} == expected.keys()
        for cid in self.ended:
            assert not left_of(self.db, cid)

    # What always holds

    @invariant()
    def chats_are_what_the_model_has(self) -> None:
        for cid in self.touched & self.model.keys():
            self._compare(cid, self.model[cid])
        for cid in self.touched - self.model.keys():
            with refused("no_chat"):
                self.db.read(reading.open_page(self.uids[0], cid, size=2))
        self.touched.clear()

    def teardown(self) -> None:
        if not hasattr(self, "uids"):
            return
        self.settle()
        for uid in self.uids:
            while self._fetch(uid, True):
                pass
        for chat in self.model.values():
            assert not any(chat.owed.values()), "something was never fetched"
        self.touched |= self.model.keys()
        self.chats_are_what_the_model_has()
        check_schema(self.db)
        self.db.close()

    # Helpers

    def _compare(self, cid: str, chat: Chat) -> None:
        everybody = membership.list_members(self.db, cid)
        assert [one.member.uid for one in everybody] == chat.members
        assert {one.member.uid for one in everybody if one.is_owner} == chat.owners
        for uid in self.uids:
            if uid not in chat.members:
                with refused("not_in_chat"):
                    self.db.read(reading.open_page(uid, cid, size=2))
                continue
            shown, visible = whole(self.db, uid, cid, 2), chat.visible(uid)
            assert [one.id for one in shown] == [*visible]
            for one in shown:
                said = visible[one.id]
                assert (one.author_uid, one.text, one.deleted) == (said.by, said.text, said.gone)
                assert bool(one.edited) == said.edited
                assert {emoji: [*uids] for emoji, uids in one.reactions.items()} == said.reactions
            assert [one.id for one in forwards(self.db, uid, cid, 2)] == [*visible]
            opened = self.db.read(reading.open_page(uid, cid, size=2))
            facts = (
                opened.chat.kind,
                opened.chat.last_id,
                opened.chat.member_count,
                opened.is_owner,
            )
            assert facts == (chat.kind, chat.last, len(chat.members), uid in chat.owners)

    def _fetch(self, uid: int, noted: bool) -> dict[str, list[int]]:
        """What comes is owed, from the oldest on, without a gap."""
        if noted:
            found = fetch(self.db, self.config, uid)
        else:
            unnoted = api_fetch.fetch_pending(self.db, self.config, uid, mark_as_fetched=False)
            found = {one.chat.id: [message.id for message in one.messages] for one in unnoted}
        for cid, ids in found.items():
            assert ids and self.model[cid].owed[uid][: len(ids)] == ids
            if noted:
                self.model[cid].fetched(uid, ids[-1])
                self.touched.add(cid)
        return found

    def _send(self, cid: str, uid: int) -> None:
        mark, text = key(), f"message {len(self.sent)}"
        number = sending.send(self.db, self.config, uid, cid, draft(text), mark)
        assert self.model[cid].say(uid, text) == number  # dense
        self.sent.append((cid, uid, mark, text, number))
        self.touched.add(cid)

    def _refusal(self, cid: str, uid: int, owner: bool) -> str | None:
        """Why a member cannot change a group."""
        chat = self.model.get(cid)
        if not chat or chat.kind == "direct":
            return "no_chat"
        if uid not in chat.members:
            return "not_in_chat"
        return "only_owners" if owner and uid not in chat.owners else None

    def _message(self, cid: str, uid: int, number: int) -> tuple[Said | None, str | None]:
        """A message that a member may see, or why not."""
        chat = self.model.get(cid)
        if not chat or uid not in chat.members:
            return None, "not_in_chat"
        said = chat.visible(uid).get(number)
        return said, None if said else "no_message"

    def _member(self, cid: str, actor: int) -> int:
        chat = self.model.get(cid)
        return self._one_of(chat.members if chat else [], actor)

    def _owner(self, cid: str, actor: int) -> int:
        chat = self.model.get(cid)
        return self._one_of(sorted(chat.owners) if chat else [], actor)

    def _one_of(self, preferred: Sequence[int], actor: int) -> int:
        return (
            preferred[actor % len(preferred)]
            if actor >= len(BIRDS) and preferred
            else self.uids[actor % len(BIRDS)]
        )

    def _number(self, cid: str, back: int) -> int:
        return max(self.model[cid].last - back, 1) if cid in self.model else 1

    def _group(self, cid: str) -> bool:
        return cid in self.model and self.model[cid].kind != "direct"

    def _follows(self, uid: int, other: int) -> bool:
        return self.uids[0] in (uid, other)

    def _take_out(self, cid: str, chat: Chat, uid: int) -> None:
        if chat.members == [uid]:
            self._end(cid)
        else:
            chat.take_out(uid)

    def _end(self, cid: str) -> None:
        del self.model[cid]
        self.ended.add(cid)
        self.touched.add(cid)
        assert not left_of(self.db, cid)


@pytest.mark.parametrize("history", [1_000, 4])
def test_every_member_fetches_every_message_of_their_time_exactly_once(
    config: Config, history: int
) -> None:
    alone = "unix" in config.store_url
    machine = type(
        "M", (Machine,), {"config": replace(config, chat_history=history, attempts_max=1_000)}
    )
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=40 if alone else 8,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )
