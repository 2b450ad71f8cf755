"""The open connections of each member."""

from collections.abc import Iterable

from webapp.accounts.store import NO_UID
from webapp.streaming.end_codes import EndCode

from .connection import Connection

PAGE_CONNECTIONS_MAX = 50  # of one member, who must not take the places of all others


class MemberConnections:
    """Connections by member, in the order they came."""

    def __init__(self) -> None:
        self._is_page: dict[int, dict[Connection, bool]] = {}  # uid → connection → is a page's
        self._of_bots: dict[int, set[Connection]] = {}  # uid of the bots' owner → connections

    def of(self, uid: int) -> Iterable[Connection]:
        """Return the connections of a member."""
        return tuple(self._is_page.get(uid, ()))

    def with_bots_of(self, uid: int) -> Iterable[Connection]:
        """Return the connections of a member and of the member's bots."""
        return (*self.of(uid), *self._of_bots.get(uid, ()))

    def add(self, connection: Connection, uid: int, is_page: bool, bot_owner: int = NO_UID) -> None:
        """Note whose a connection is. The oldest pages beyond PAGE_CONNECTIONS_MAX end.

        `bot_owner` is the member whose bot it is, if it is a bot's.
        """
        connection.uid, connection.bot_owner = uid, bot_owner
        if bot_owner:
            self._of_bots.setdefault(bot_owner, set()).add(connection)
        connections = self._is_page.setdefault(uid, {})
        connections[connection] = is_page
        if is_page:
            pages = [one for one, of_page in connections.items() if of_page and not one.ended]
            for oldest in pages[:-PAGE_CONNECTIONS_MAX]:
                oldest.close(EndCode.REPLACED)

    def remove(self, connection: Connection) -> None:
        """Forget a connection."""
        connections = self._is_page.get(connection.uid, {})
        connections.pop(connection, None)
        if not connections:
            self._is_page.pop(connection.uid, None)
        of_bots = self._of_bots.get(connection.bot_owner, set())
        of_bots.discard(connection)
        if not of_bots:
            self._of_bots.pop(connection.bot_owner, None)
