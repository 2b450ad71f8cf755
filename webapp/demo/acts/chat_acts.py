"""Acts in chats: opening a group, writing, reacting and reading."""

from dataclasses import dataclass

from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.core.text.parser import parse

from .act import WaitingAct, World


@dataclass(frozen=True, slots=True)
class OpenGroup(WaitingAct):
    """Make a group. `chat` is its name in the plan."""

    chat: str
    kind: str
    name: str
    topic: str
    members: tuple[int, ...]

    def perform(self, world: World) -> None:
        uids = [world.uid(member) for member in self.members]
        world.chats[self.chat] = group_chats.create(
            world,
            world.uid(self.member),
            self.kind,
            self.name,
            uids,
            None,
            f"demo-{self.chat}",
            self.topic,
        )


@dataclass(frozen=True, slots=True)
class Say(WaitingAct):
    """Write a message, which gets the number `line`. It may reply to that of another line.

    `other`: the other member of a direct chat, None for a group.
    """

    chat: str
    line: int
    text: str
    other: int | None = None
    reply_to: int | None = None

    def perform(self, world: World) -> None:
        uid = world.uid(self.member)
        if self.other is not None:
            world.chats[self.chat] = direct_id(uid, world.uid(self.other))
        parent = 0 if self.reply_to is None else world.messages[self.chat, self.reply_to]
        content = Content(self.text, parse(self.text).entities, parent)
        world.messages[self.chat, self.line] = sending.send(
            world, uid, world.chats[self.chat], content, f"demo-{self.line}"
        )


@dataclass(frozen=True, slots=True)
class React(WaitingAct):
    """React to the message of a line."""

    chat: str
    line: int
    emoji: str

    def perform(self, world: World) -> None:
        message = world.messages[self.chat, self.line]
        cid = world.chats[self.chat]
        sending.react(world, world.uid(self.member), cid, message, self.emoji, add=True)


@dataclass(frozen=True, slots=True)
class ReadChat(WaitingAct):
    """Read a chat up to the message of a line."""

    chat: str
    line: int

    def perform(self, world: World) -> None:
        message = world.messages[self.chat, self.line]
        chat_state.mark_read(world.db, world.uid(self.member), world.chats[self.chat], message)
