"""The part of a worker that makes the requests of webhooks."""

from collections.abc import Sequence

from webapp.accounts import store as accounts
from webapp.core.events.leased_work import LeasedWork
from webapp.core.metrics.names import WEBHOOKS
from webapp.core.metrics.recorder import count
from webapp.core.store import Site, collect, read

from . import keys
from .deliveries import ClaimedDelivery, claim
from .webhook_delivery import deliver

REQUESTS_MAX = 8  # requests of one worker
REQUESTS_PER_OWNER = 2  # of them, for bots of one member: slow bots must not hold up others


class WebhookDelivery(LeasedWork[ClaimedDelivery]):
    """Makes the requests of webhooks."""

    name = "webhook delivery"
    queue = keys.due_webhooks

    def __init__(self, site: Site) -> None:
        super().__init__(site, REQUESTS_MAX, REQUESTS_PER_OWNER)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[ClaimedDelivery]:
        """Claim a due delivery, for no bot of these members. At most two trips."""
        bots = self._site.db.read(
            collect(read(("ZRANGE", keys.bots(owner), 0, -1), list) for owner in busy_owners)
        )
        skipped = [int(bot_uid) for uids in bots for bot_uid in uids]
        return claim(self._site.db, partition, 1, skipped)

    def owner_of(self, piece: ClaimedDelivery) -> int:
        """Return the uid of the bot's owner, 0 if the bot is gone. One trip."""
        bot = self._site.db.read(accounts.get(piece.bot_uid))
        return bot.bot_owner if bot else 0

    def do(self, piece: ClaimedDelivery) -> None:
        """Make a request, or note why it failed."""
        count(WEBHOOKS)
        deliver(self._site, piece)
