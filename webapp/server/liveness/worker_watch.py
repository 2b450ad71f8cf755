"""Notice a worker that hangs: it has no heartbeats in the store any more."""

from webapp.core.errors import Unavailable
from webapp.core.events.worker import has_heartbeat
from webapp.core.store import Db

CHECK_SECONDS = 5.0
SILENT_CHECKS = 3  # in a row, until a worker is replaced
START_CHECKS = 12  # until its first heartbeat


class WorkerWatch:
    """Tells whether the worker hangs. While the store does not answer, nobody can know."""

    def __init__(self, db: Db, pid: int) -> None:
        """Watch a worker that has had a heartbeat, and its successors."""
        self._db = db
        self._pid = pid
        self._left = SILENT_CHECKS

    def is_hung(self, pid: int) -> bool:
        """Return True if the worker with this process id hangs. Call it every CHECK_SECONDS.

        One trip.
        """
        if pid != self._pid:
            self._pid, self._left = pid, START_CHECKS
        try:
            if has_heartbeat(self._db, pid):
                self._left = SILENT_CHECKS
            else:
                self._left -= 1
        except Unavailable:
            self._left = max(self._left, SILENT_CHECKS)
        return self._left <= 0
