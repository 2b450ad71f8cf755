"""The keys of bots and their webhooks."""

from webapp.core.store.schema import Hash, List, MemberKey, PartitionKey, ZSet

bots = MemberKey(
    "bots",
    ZSet("uid", "when it was made, unix ms"),
    bound="BOTS_MAX",
    doc="""The bots of a member. A reservation whose account was never made goes 60 s later, when
    another bot is made.""",
)

webhook = MemberKey(
    "webhook",
    Hash(),
    bound="kept until it is removed",
    doc="""Where a bot's messages are delivered: `url`, `secret` (sealed with SECRET_KEY),
    `delivered` (unix ms of the last that arrived), `failures` (in a row), `error` (the last),
    `failed` (unix ms of the first delivery that was given up since one arrived), `answer_error`
    (why the newest answer was not sent), `until` (unix ms: no delivery before, as a worker is
    making one, or the last failed), and `mark:<partition>`, the last outbox id that was queued.""",
)

due_webhooks = PartitionKey(
    "due_webhooks",
    ZSet("uid", "unix ms"),
    bound="one entry a bot",
    doc="""The bots of the partition with queued deliveries, by when the next is due, or the lease
    of the worker that makes it runs out.""",
)

webhook_queue = MemberKey(
    "webhook_queue",
    ZSet("delivery (`partition-outboxid`)", "unix ms"),
    bound="WEBHOOK_WAITING",
    doc="The messages to deliver to a bot, by when they are due.",
)

webhook_payloads = MemberKey(
    "webhook_queue",
    Hash("delivery", "JSON"),
    suffix="payloads",
    bound="as `webhook_queue`",
    doc="""The content of each delivery of the queue: JSON with `chat`, `message`, `at` (unix ms),
    `tries`, `error`.""",
)

webhook_failures = MemberKey(
    "webhook_failures",
    List(),
    bound="the newest 20",
    doc="""The deliveries to a bot that were given up, the newest first: JSON as in
    `webhook_queue:…:payloads`.""",
)
