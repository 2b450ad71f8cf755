"""The data of log entries that are translated together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from webapp.statuses.status import Status
from webapp.streaming.log.entries import LogEntry
from webapp.streaming.serializers.related import RelatedData


@dataclass(frozen=True, slots=True)
class Batch:
    """The data that messages of some entries show. `site`: the public address of the pages."""

    related: RelatedData
    protected_uids: Collection[int]
    site_url: str

    def status(self, entry: LogEntry) -> Status | None:
        """Return the status of an entry as it is now, None if it is gone."""
        return self.related.statuses.get(entry.shown_status[0])
