"""A bot in a group, whose webhook leads to a test server."""

from tests.conftest import ApplyEvents, People
from tests.support import chat
from tests.support.world import Acting, OnSite
from webapp.chat.bots import keys as bot_keys, store as bots, webhook_worker, webhooks
from webapp.config import Config
from webapp.core.store import Site, partition_of


class WebhookScene(OnSite, Acting):
    """A group of Ann, Ben and Ann's bot @jay, which has a webhook."""

    def __init__(self, site: Site, people: People, apply_events: ApplyEvents, url: str) -> None:
        self.db, self.config, self.apply_events = site.db, site.config, apply_events
        self.ann, self.ben = people("ann", "ben")
        self.bot = bots.create_bot(site, self.ann, "jay", "Jay").uid
        self.secret = webhooks.set_webhook(site, self.bot, url)
        self.group = chat.group(site, self.ann, [self.ben, self.bot])
        apply_events()

    def send(self, *texts: str, uid: int = 0, cid: str = "") -> list[int]:
        """Send messages, by default from Ben to the group, and apply their events."""
        ids = chat.send_messages(self.site, uid or self.ben, cid or self.group, *texts)
        self.apply_events()
        return ids

    def deliver(self, config: Config | None = None) -> int:
        """Make the requests that are due; return their number."""
        return webhook_worker.WebhookDelivery(Site(self.db, config or self.config)).run_due()

    def make_all_due(self) -> None:
        """Make every queued delivery due, as after a long time."""
        queue = bot_keys.webhook_queue(self.bot)
        queued = self.db.run(("ZRANGE", queue, 0, -1))
        for score, delivery in enumerate(queued):
            self.db.run(("ZADD", queue, score, delivery))
        if queued:
            self.db.run(("ZADD", bot_keys.due_webhooks(partition_of(self.bot)), 0, self.bot))

    @property
    def webhook(self) -> webhooks.Webhook:
        """The state of the bot's webhook."""
        webhook = self.db.read(webhooks.get_webhook(self.bot))
        assert webhook
        return webhook
