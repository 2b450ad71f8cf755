"""The replay buffer for clients that come back."""

from dataclasses import replace

import pytest

from tests.support.streaming.messages import ANN, BEN, delete, hide, update
from webapp.streaming.hub.replay_buffer import ReplayBuffer
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LOG_START


def buffer_of(*messages: Message, size: int = 100, size_bytes: int = 10_000) -> ReplayBuffer:
    buffer = ReplayBuffer(size, size_bytes)
    buffer.reset(LOG_START)
    buffer.add(messages)
    return buffer


def everything(_: Message) -> bool:
    return True


def test_replay_buffer_returns_wanted_messages_after_a_position() -> None:
    buffer = buffer_of(update(1, ANN), update(2, BEN), update(3, ANN))
    expected = [update(1, ANN), update(3, ANN)]
    assert buffer.after((0, 0), lambda message: message.author == ANN) == expected
    assert buffer.after((1, 0), everything) == [update(2, BEN), update(3, ANN)]
    assert buffer.after((2, 9), everything) == [update(3, ANN)]
    assert buffer.after((3, 0), everything) == []


@pytest.mark.parametrize("limits", [{"size": 2}, {"size_bytes": 2}], ids=["by number", "by size"])
def test_replay_buffer_drops_the_oldest_messages(limits: dict[str, int]) -> None:
    buffer = buffer_of(*(update(time, ANN) for time in range(1, 6)), **limits)
    assert buffer.oldest == (3, 0)
    assert buffer.after(buffer.oldest, everything) == [update(4, ANN), update(5, ANN)]


def test_replay_buffer_leaves_out_deleted_and_hidden_statuses() -> None:
    buffer = buffer_of(
        update(1, ANN), update(2, BEN), delete(3, ANN, 1), hide(4, BEN), update(5, ANN)
    )
    assert buffer.after((0, 0), everything) == [delete(3, ANN, 1), hide(4, BEN), update(5, ANN)]


def test_replay_buffer_keeps_messages_however_many_have_lost_a_quote() -> None:
    quoting = replace(update(1, ANN), body=b'{"quoted_status":{"text":"a song"}}', quoted=(9, BEN))
    buffer = buffer_of(size=2, size_bytes=2 * quoting.size)
    for time in range(1, 10):
        buffer.add([replace(quoting, position=(time, 0), status_id=time)])
        buffer.remove_quote(time)
    kept = buffer.after((0, 0), everything)
    assert [message.status_id for message in kept] == [8, 9]
    assert [message.body for message in kept] == [b"{}", b"{}"]
