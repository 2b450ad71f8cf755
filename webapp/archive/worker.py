"""The part of a worker that does tasks about members' own data."""

from collections.abc import Callable, Sequence
from functools import partial

from webapp.core.errors import LeaseLost, RateLimited
from webapp.core.events.leased_work import LeasedWork
from webapp.core.logs import log
from webapp.core.store import Site

from . import files, keys
from .exports.building import build_slice
from .posts.slices import posts_slice
from .tables.importing import import_slice
from .tasks import ARCHIVE, IMPORT, POSTS, Claim, Task, claim, save

TASKS_MAX = 2  # of one worker: they share its processor with what others wait for
PAUSE_SECONDS = 300  # of a task at a rate limit, so that its member finds room there too
TRIES_MAX = 5  # claims without getting on; then a task fails
# Does one slice of a member's task. It may call the function now and then, which keeps the lease.
Slice = Callable[[Site, int, Task, Callable[[], None]], Task]
SLICES: dict[str, Slice] = {ARCHIVE: build_slice, IMPORT: import_slice, POSTS: posts_slice}


class DataTasks(LeasedWork[Claim]):
    """Does tasks about members' own data."""

    name = "own data"
    queue = keys.due_tasks

    def __init__(self, site: Site) -> None:
        super().__init__(site, TASKS_MAX, max_per_owner=1)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[Claim]:
        """Claim a due task, of none of these members. One trip."""
        return claim(self._site.db, partition, busy_owners)

    def owner_of(self, piece: Claim) -> int:
        """Return the uid of the task's member."""
        return piece.uid

    def do(self, piece: Claim) -> None:
        """Do a task to its end, in slices. Its files go if the account is deleted meanwhile."""
        try:
            self._do_slices(piece)
        except LeaseLost:
            log.info("%s: %s of member %d was taken over", self.name, piece.task.kind, piece.uid)
            if not self._site.db.run(("EXISTS", keys.data_tasks(piece.uid))):
                files.remove_all(self._site.config, piece.uid)

    def _do_slices(self, piece: Claim) -> None:
        task, db = piece.task, self._site.db
        if piece.tries > TRIES_MAX:
            task = task.end(failed=True)
            save(db, piece, task)
        while not task.ended_at:
            keep = partial(save, db, piece, task)
            try:
                task = SLICES[task.kind](self._site, piece.uid, task, keep)
            except RateLimited as limit:  # the worker that claims it then continues
                return keep(due_ms=max(limit.retry_after or 0, PAUSE_SECONDS) * 1000)
            save(db, piece, task)
        files.remove_leftovers(self._site.config, piece.uid, task)
        say, how = (log.error, "failed") if task.failed else (log.info, "finished")
        say("%s: %s of member %d has %s", self.name, task.kind, piece.uid, how)
