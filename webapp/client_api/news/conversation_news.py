"""Conversations as apps show them, for any number of readers at once."""

from collections.abc import Mapping, Sequence

import msgspec

from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.presentation import Wanted, present_wanted
from webapp.client_api.status_reads.account_reads import accounts_seen_by
from webapp.core.store import collect
from webapp.core.web import db
from webapp.statuses.private_mentions.store import Conversation as Stored, newer_conversations

from .notices import News


class Conversation(msgspec.Struct):
    """A conversation. `accounts`: the others in it, or the reader alone."""

    id: str
    unread: bool
    accounts: list[Account]
    last_status: Status


def present_conversations(
    found: Sequence[tuple[int, Sequence[Stored]]],
) -> list[list[Conversation]]:
    """Return, for each member, the conversations whose newest status the member may see.

    Five trips at most for all members.
    """
    wanted = [
        Wanted(uid, tuple((one.last_id, one.author) for one in some), on_request=True)
        for uid, some in found
    ]
    shown = present_wanted(wanted)
    people = [
        {number: _others(uid, status) for number, status in statuses.items()}
        for (uid, _), statuses in zip(found, shown, strict=True)
    ]
    uids = {one for each in people for others in each.values() for one in others}
    accounts = db().read(accounts_seen_by([uid for uid, _ in found], uids))
    return [
        [
            Conversation(
                str(one.number),
                one.unread,
                [visible[other] for other in others[one.last_id] if other in visible],
                statuses[one.last_id],
            )
            for one in some
            if one.last_id in statuses
        ]
        for (_, some), statuses, others, visible in zip(found, shown, people, accounts, strict=True)
    ]


def conversations_since(since: Mapping[int, int], count: int) -> dict[int, News]:
    """Return `count` conversations of each member with statuses after an id, the oldest first.

    Six trips at most for all members.
    """
    read = db().read(collect(newer_conversations(uid, last, count) for uid, last in since.items()))
    found = [(uid, some) for uid, some in zip(since, read, strict=True) if some]
    presented = present_conversations(found) if found else []
    return {
        uid: News(shown, some[-1].last_id)
        for (uid, some), shown in zip(found, presented, strict=True)
    }


def _others(uid: int, status: Status) -> list[int]:
    """Return who is in a conversation besides a member; the member alone if there is nobody."""
    named = {int(status.account.id), *(int(one.id) for one in status.mentions)}
    return sorted(named - {uid}) or [uid]
