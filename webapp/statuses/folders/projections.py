"""Projections of deleted accounts: their folders are erased. Safe to run twice."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event

from . import keys


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Erase what is in the folders of deleted accounts, folders_max at most each. Two trips.

    Their names are a private key, which is erased after this.
    """
    uids = [event.number("uid") for event in events]
    found = context.db.trip_all(("HKEYS", keys.folders(uid)) for uid in uids)
    context.db.trip_all(
        ("UNLINK", *(keys.folder_statuses(uid, number) for number in numbers))
        for uid, numbers in zip(uids, found, strict=True)
        if numbers
    )
