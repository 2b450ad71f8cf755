"""Compare chats with a model while members act and workers apply events and die.

Every member fetches each message of their time in a chat exactly once, and no other, unless the
chat shares its history with new members. A chat's page always shows the current state. The inbox
shows the applied events, and the current state when no event is waiting.
"""

from dataclasses import replace

import pytest

from tests.conftest import long
from tests.models.chat.group_rules import CHOICES, GroupRules
from tests.models.chat.message_rules import MessageRules
from tests.models.chat.reading_rules import ReadingRules
from tests.models.chat.worker_rules import WorkerRules
from tests.support.schema import check_schema
from tests.support.state_machines.runs import run_steps
from webapp.config import Config


class ChatMachine(GroupRules, MessageRules, ReadingRules, WorkerRules):
    """Let members chat and workers apply events and die, in any order."""

    def teardown(self) -> None:
        """Apply all events, and let every member fetch everything."""
        if not self.uids:
            return
        self.apply_events()
        for uid in self.uids:
            while self.fetch_pending(uid, mark=True):
                pass
        for chat in self.chats.values():
            assert not any(chat.pending.values()), "something was never fetched"
        self.changed |= self.chats.keys()
        self.chats_equal_the_model()
        check_schema(self.db)
        self.db.close()


def machine_for(config: Config, history: int) -> type[ChatMachine]:
    """Return the machine for a store, with this many messages kept in each chat."""
    config = replace(config, chat_history=history, attempts_max=1_000)
    return type("ConfiguredChatMachine", (ChatMachine,), {"config": config})


@pytest.mark.parametrize(("history", "examples"), [long(1_000, 40), (4, 6), long(4, 40)])
def test_every_member_fetches_every_message_of_their_time_exactly_once(
    config: Config, history: int, examples: int
) -> None:
    is_single_server = "unix" in config.store_url
    run_steps(machine_for(config, history), examples if is_single_server else 8, steps=50)


@pytest.mark.parametrize("name", CHOICES)
def test_chats_equal_the_model_after_each_change_of_a_group(config: Config, name: str) -> None:
    """Walk through every setting of a group, which random steps rarely reach with messages."""
    machine = machine_for(config, history=1_000)()
    machine.sign_up()
    cid = machine.create_group(0, "private", [1, 2], shared=False, has_message=True)
    owner, member = 0, 1
    for choice in range(3):
        machine.change_group(cid, owner, name, choice)
        machine.chats_equal_the_model()
        machine.send(cid, owner, count=2)
        machine.apply_events()
        machine.fetch(member, mark=True)
        machine.chats_equal_the_model()
        machine.fetch(2, mark=True)
        machine.mark_read(cid, owner, offset=0)
        machine.add_members(cid, owner, [3])
        machine.chats_equal_the_model()
        machine.remove_member(cid, owner, 3)
        machine.chats_equal_the_model()
    machine.teardown()
