"""Read the changes of a chat since a position, and give each reader their events."""

from collections.abc import Collection
from typing import NamedTuple

from webapp.chat.ids import direct_members
from webapp.chat.messages.related import Related, related_to
from webapp.core.store import Db

from .hints import PAST_END, Position
from .positions import changes_since
from .rendered_changes import Events, Reader, RenderedChanges, RenderMessages, nothing_for


class Updates(NamedTuple):
    """The events for readers at one position, None for somebody who is not a member.

    After these they are at `position`.
    """

    position: Position
    events: dict[Reader, Events | None]


def updates_since(
    db: Db,
    render_messages: RenderMessages,
    cid: str,
    position: Position | None,
    readers: Collection[Reader],
) -> Updates:
    """Return the updates of a chat after a position; no messages if that is None, for new pages.

    Each message is rendered once for all readers who see the same. Two trips.
    """
    uids = sorted({reader.uid for reader in readers})
    changes = db.read(changes_since(cid, *(position or PAST_END), uids))
    if changes.chat is None:  # a direct chat begins with its first message
        members = direct_members(cid) or ()
        events = {
            reader: nothing_for(reader) if reader.uid in members else None for reader in readers
        }
        return Updates((0, 0), events)
    related = Related()
    if changes.messages:
        related = db.read(
            related_to(changes.messages, changes.parents, readers=changes.first_visible)
        )
    rendered = RenderedChanges(render_messages, changes.chat, changes, related, position)
    return Updates(rendered.position, {reader: rendered.for_reader(reader) for reader in readers})
