"""Changes of members (a name, a picture, words …), which any page that shows them depends on.

Each change gets a number, higher than all before. A cached page knows the newest number at its
rendering and whom it shows, so every process sees for itself whether the page is outdated.
"""

import threading
from collections.abc import Iterable, Sequence

from webapp.core.store import Command, Db, Read, read

from . import keys
from .invalidation import BUMP_VERSIONS, MEMBER_VERSIONS_MAX, publish_command


class MemberVersions:
    """The changes that this process knows of. Safe to use in any thread."""

    def __init__(self) -> None:
        self.latest = 0  # number of the newest change
        self._oldest_trusted = 0  # pages of a lower version may show anything
        self._versions: dict[int, int] = {}
        self._lock = threading.Lock()

    def refresh(self) -> Read[None]:
        """Read the changes since the last refresh, and remember them."""
        since = f"({self.latest}"
        command = ("ZRANGE", keys.member_versions(), since, "+inf", "BYSCORE", "WITHSCORES")
        return read(command, self._remember)

    def is_outdated(self, version: int, uids: Iterable[int]) -> bool:
        """Return True if a page of this version may show one of its members as they were."""
        if version < self._oldest_trusted:
            return True
        return any(self._versions.get(uid, 0) > version for uid in uids)

    def _remember(self, reply: Sequence[str]) -> None:
        if not reply:
            return
        changes = list(zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True))
        with self._lock:
            for uid, version in changes:
                # A reply may come after a later one.
                self._versions[uid] = max(version, self._versions.get(uid, 0))
            self.latest = max(self.latest, changes[-1][1])
            may_have_missed = len(changes) >= MEMBER_VERSIONS_MAX
            if may_have_missed or len(self._versions) > 2 * MEMBER_VERSIONS_MAX:
                self._oldest_trusted = self.latest
                self._versions.clear()


def bump_versions(db: Db, uids: Iterable[int]) -> None:
    """Invalidate every cached page with one of these members. One trip, none without members."""
    if changed := set(uids):
        db.trip(*bump_commands(changed))


def bump_commands(uids: Iterable[int]) -> tuple[Command, Command]:
    """Return the commands of `bump_versions`."""
    command = BUMP_VERSIONS(members_max=MEMBER_VERSIONS_MAX, uids=sorted(set(uids)))
    return command, publish_command("hard", ["*"])
