"""What messages refer to: members, the messages they reply to, and shared statuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.models import Message
from webapp.core.store.reads import Read, gather
from webapp.statuses.lookup import statuses
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import ANONYMOUS

REACTORS_NAMED = 3  # members named for each emoji


@dataclass(frozen=True, slots=True)
class Related:
    """Members by uid, messages that are replied to by id, and shared statuses by id.

    What is gone, or hidden from visitors, is left out.
    """

    people: Mapping[int, Member] = field(default_factory=dict)
    parents: Mapping[int, Message] = field(default_factory=dict)
    statuses: Mapping[int, Status] = field(default_factory=dict)


def related_to(
    messages: Sequence[Message], parents: Sequence[Message] = (), extra_uids: Iterable[int] = ()
) -> Read[Related]:
    """Read what messages refer to. The people include `extra_uids`."""
    uids = {message.author_uid for message in (*messages, *parents)}
    uids.update(extra_uids)
    for message in messages:
        for reactors in message.reactions.values():
            uids.update(reactors[:REACTORS_NAMED])
    by_id = {parent.id: parent for parent in parents}
    people = accounts.get_many(sorted(uids))
    return gather(people, _shared_statuses(messages)).map(
        lambda loaded: Related(loaded[0], by_id, loaded[1])
    )


def _shared_statuses(messages: Sequence[Message]) -> Read[dict[int, Status]]:
    """Read the statuses that messages share, as visitors see them: all members see the same."""
    cards = [message.card for message in messages if message.card]
    return statuses([(card.status_id, card.author_uid) for card in cards]).map(
        lambda found: {
            status.id: status for status in found if status and ANONYMOUS.is_visible(status)
        }
    )
