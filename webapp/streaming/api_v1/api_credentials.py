"""The credentials of an open stream of the API."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.streaming.delivery.credentials import CheckedCredentials
from webapp.streaming.delivery.hidden_authors import hidden_authors

from .api import StreamGrant


class ApiCredentials(CheckedCredentials):
    """The credentials for which a client's stream was granted."""

    def __init__(self, db: Db, grant: StreamGrant) -> None:
        super().__init__(db)
        self._grant = grant
        self.hidden = grant.hidden
        self.mark_checked()

    def _check(self) -> bool:
        caller = self._grant.caller
        valid = caller.recheck(self._grant.required_rights)
        self.hidden = self._db.read(hidden_authors(caller.uid, self._grant.topic))
        self.mark_checked()
        return valid
