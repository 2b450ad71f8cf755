"""Read the members, parent messages and shared statuses that messages refer to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from flask import request

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.models import Card, Message
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Read, gather
from webapp.core.text.parser import Entity
from webapp.core.web import config, db
from webapp.statuses import Relationship, Status, statuses
from webapp.statuses.quotes.links import find_linked_status
from webapp.statuses.store import get
from webapp.statuses.visibility.policy import ANONYMOUS
from webapp.statuses.visibility.relationships import block_relationships

REACTORS_NAMED = 3  # members named for each emoji


@dataclass(frozen=True, slots=True)
class Related:
    """Members by uid, messages that are replied to by id, and shared statuses by id.

    Statuses that are gone, or hidden from visitors, are left out. `relationships`, by the reader's
    uid, say which statuses blocks hide from each.
    """

    people: Mapping[int, Member] = field(default_factory=dict)
    parents: Mapping[int, Message] = field(default_factory=dict)
    statuses: Mapping[int, Status] = field(default_factory=dict)
    relationships: Mapping[int, Relationship] = field(default_factory=dict)

    def hidden_from(self, reader: int) -> frozenset[int]:
        """Return the ids of shared statuses that a reader may not see."""
        return frozenset(
            status.id
            for status in self.statuses.values()
            if not self.relationships[reader].visible_on_request(status.author.uid)
        )

    def without_statuses(self, hidden_ids: Collection[int]) -> Related:
        """Return a copy that hides these statuses."""
        if not hidden_ids:
            return self
        visible = {key: status for key, status in self.statuses.items() if key not in hidden_ids}
        return replace(self, statuses=visible)

    def for_reader(self, reader: int) -> Related:
        """Return a copy with only the statuses that a reader may see."""
        return self.without_statuses(self.hidden_from(reader))


def related_to(
    messages: Sequence[Message],
    parents: Sequence[Message] = (),
    extra_uids: Iterable[int] = (),
    readers: Iterable[int] = (),
) -> Read[Related]:
    """Read the people, parents and statuses of messages. The people include `extra_uids`.

    `readers`: the members for whom shared statuses are to be shown.
    """
    uids = {message.author_uid for message in (*messages, *parents)}
    uids.update(extra_uids)
    for message in messages:
        for reactors in message.reactions.values():
            uids.update(reactors[:REACTORS_NAMED])
    by_id = {parent.id: parent for parent in parents}
    cards = [message.card for message in messages if message.card]
    return gather(
        accounts.get_many(sorted(uids)),
        _shared_statuses(cards),
        block_relationships(readers, (card.author_uid for card in cards)),
    ).map(lambda loaded: Related(loaded[0], by_id, loaded[1], loaded[2]))


def _shared_statuses(cards: Sequence[Card]) -> Read[dict[int, Status]]:
    """Read the statuses of cards, as visitors see them."""
    return statuses([(card.status_id, card.author_uid) for card in cards]).map(
        lambda found: {
            status.id: status for status in found if status and ANONYMOUS.is_visible(status)
        }
    )


def find_card(uid: int, status_id: int | None, entities: Iterable[Entity]) -> Card | None:
    """Return the card of the shared status, or of the first that a text links to.

    At most two trips. Raises NotFound or Forbidden for a status that cannot be shared. A text may
    still link to it.
    """
    if status_id is not None:
        return _card(uid, status_id)
    host = urlsplit(config().site_url).netloc or request.host
    linked_id = find_linked_status(entities, host)
    if linked_id is None:
        return None
    try:
        return _card(uid, linked_id)
    except (NotFound, Forbidden):
        return None


def load_shareable(db: Db, status_id: int, uid: int) -> Status:
    """Return a status that a member wants to share. Two trips.

    Raises NotFound; Forbidden if its author is suspended or hidden from the member, or if not
    everybody may see the status: the people in a chat change.
    """
    status = get(db, status_id, uid)
    if status.visibility.restricted:
        raise Forbidden("not_for_chats")
    return status


def _card(uid: int, status_id: int) -> Card:
    return Card(status_id, load_shareable(db(), status_id, uid).author.uid)
