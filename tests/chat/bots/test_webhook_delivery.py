"""Deliveries that fail: retries, pauses, claims, and giving up."""

from dataclasses import replace

import orjson

from tests.support.webhook_receiver import Receiver, status
from tests.support.webhook_scene import WebhookScene
from webapp.chat.bots import deliveries, keys as bot_keys, webhook_delivery, webhooks
from webapp.core.store import partition_of
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab


def test_failed_delivery_is_retried_with_growing_delays_then_given_up(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [status(500)]
    (number,) = scene.send("hello @jay")
    delays = []
    while scene.deliver():
        assert scene.deliver() == 0, "retried without a delay"
        due = scene.db.run(("ZRANGE", bot_keys.webhook_queue(scene.bot), 0, 0, "WITHSCORES"))
        seconds, micros = scene.db.on_every_primary("TIME")[0]
        delays.append((float(due[1]) / 1000 - int(seconds) - int(micros) / 1e6) if due else None)
        assert scene.webhook.failures == len(delays) and scene.webhook.last_error == "answer 500"
        scene.make_all_due()
    assert delays[-1] is None and len(delays) == 8
    limits = [*webhook_delivery.RETRY_DELAYS]
    assert all(
        delay and 0 < delay <= limit for delay, limit in zip(delays[:-1], limits, strict=True)
    )
    assert len(receiver.requests) == 8
    assert len({request.headers["x-linnet-delivery"] for request in receiver.requests}) == 1
    [given_up] = scene.webhook.undelivered
    assert (given_up.cid, given_up.message_id, given_up.tries) == (scene.group, number, 8)
    assert not scene.webhook.waiting
    assert not scene.db.run(("EXISTS", bot_keys.webhook_payloads(scene.bot)))


def test_an_owner_is_notified_once_an_outage_until_a_message_arrives(
    scene: WebhookScene, receiver: Receiver
) -> None:
    def told(uid: int) -> list[tuple[str, bool]]:
        """Return the bots that a member's page of notifications names, and whether each is new."""
        page = notifications.page(scene.db, uid, kinds_in_tab("all"), None, 30, False)
        found = [group for group in page.items if group.kind.name == "undelivered"]
        return [(group.bot.login, group.has_unread) for group in found if group.bot]

    def fail() -> None:
        while scene.deliver():
            scene.make_all_due()
        scene.apply_events()

    receiver.responders = [status(500)]
    scene.send("hello @jay")
    assert scene.deliver() == 1 and told(scene.ann) == [], "it is tried again"
    scene.make_all_due()
    fail()
    assert told(scene.ann) == [("jay", True)] and told(scene.ben) == told(scene.bot) == []
    scene.send("@jay are you there?")
    scene.make_all_due()
    fail()
    assert len(scene.webhook.undelivered) == 2 and len(told(scene.ann)) == 1
    assert scene.db.read(notifications.unread_count(scene.ann)) == 1

    receiver.responders = [status(204)]
    scene.send("@jay and now?")
    scene.make_all_due()
    assert scene.deliver() == 1 and told(scene.ann) == [], "it has arrived"
    receiver.responders = [status(500)]
    scene.send("@jay gone again?")
    scene.make_all_due()
    fail()
    assert told(scene.ann) == [("jay", True)]
    webhooks.set_webhook(scene.site, scene.bot, f"{receiver.url}/other")
    assert told(scene.ann) == []


def test_failure_pauses_the_bot_and_nothing_is_lost(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [status(503), status(204)]
    scene.send("@jay one", "@jay two", "@jay three")
    assert scene.deliver() == 1  # the others wait for it
    scene.send("@jay four")
    assert scene.deliver() == 0 and scene.webhook.waiting == 4
    scene.make_all_due()
    assert scene.deliver() == 4 and not scene.webhook.failures
    texts = [request.data["message"]["text"] for request in receiver.requests]
    assert sorted(texts) == sorted(["@jay one", "@jay one", "@jay two", "@jay three", "@jay four"])


def test_redirect_is_a_failure(scene: WebhookScene, receiver: Receiver) -> None:
    receiver.responders = [status(302, Location=f"{receiver.url}/elsewhere")]
    scene.send("hello @jay")
    scene.deliver()
    assert [request.path for request in receiver.requests] == ["/hook?from=linnet"]
    assert scene.webhook.last_error == "answer 302"


def test_private_addresses_need_a_setting(scene: WebhookScene, receiver: Receiver) -> None:
    scene.send("hello @jay")
    scene.deliver(replace(scene.config, webhook_private=False))
    assert not receiver.requests and scene.webhook.last_error == "not_public"
    scene.make_all_due()
    scene.deliver()
    assert len(receiver.requests) == 1


def test_claim_of_a_dead_worker_is_repeated_under_the_same_id(
    scene: WebhookScene, receiver: Receiver
) -> None:
    scene.send("hello @jay")
    partition = partition_of(scene.bot)
    (claimed,) = deliveries.claim(scene.db, partition, 5)
    assert deliveries.claim(scene.db, partition, 5) == [] and scene.deliver() == 0
    scene.send("@jay another")
    assert scene.deliver() == 0  # one request at a time
    scene.make_all_due()
    (again,) = deliveries.claim(scene.db, partition, 5)
    assert again.id == claimed.id and again.lease_expires != claimed.lease_expires
    receiver.responders = [status(500), status(200)]
    # The first worker was only slow. Its claim has expired, so its result does not count.
    webhook_delivery.deliver(scene.site, claimed)
    assert scene.webhook.waiting == 2 and not scene.webhook.failures
    found = scene.db.run(("ZSCORE", bot_keys.due_webhooks(partition), scene.bot))
    assert found == again.lease_expires
    assert scene.db.run(("ZSCORE", bot_keys.webhook_queue(scene.bot), again.id)) == "0"
    webhook_delivery.deliver(scene.site, again)
    assert scene.deliver() == 1 and not scene.webhook.waiting
    ids = [request.data["delivery"] for request in receiver.requests]
    assert ids[0] == ids[1] != ids[2]
    receiver.responders = [status(500)]
    webhook_delivery.deliver(scene.site, claimed)  # nor can it restore a delivery
    assert not scene.webhook.waiting and scene.deliver() == 0


def test_new_delivery_does_not_wait_for_an_old_failure(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [status(500)]
    scene.send("@jay old")
    for _ in range(5):
        scene.deliver()
        scene.make_all_due()
    scene.deliver()  # the next retry is an hour away
    scene.db.run(("HSET", bot_keys.webhook(scene.bot), "until", 0))  # the pause is over
    receiver.responders = [status(200)]
    scene.send("@jay new")
    assert scene.deliver() == 1 and receiver.requests[-1].data["message"]["text"] == "@jay new"
    assert scene.webhook.waiting == 1


def test_old_delivery_is_given_up_at_its_next_failure(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [status(500)]
    scene.send("hello @jay")
    payloads = bot_keys.webhook_payloads(scene.bot)
    [delivery] = scene.db.run(("HKEYS", payloads))
    payload = orjson.loads(scene.db.run(("HGET", payloads, delivery)))
    payload["at"] -= (webhook_delivery.AGE_MAX_SECONDS + 1) * 1000
    scene.db.run(("HSET", payloads, delivery, orjson.dumps(payload).decode()))
    scene.deliver()
    assert len(receiver.requests) == 1 and scene.webhook.undelivered and not scene.webhook.waiting


def test_claim_skips_excluded_bots_of_the_partition(
    scene: WebhookScene, receiver: Receiver
) -> None:
    scene.send("hello @jay")
    partition = partition_of(scene.bot)
    others = [str(scene.bot + number * 1_000_000) for number in range(1, 4)]
    for other in others:
        webhook = bot_keys.webhook.prefix(partition) + other
        scene.db.run(("ZADD", bot_keys.due_webhooks(partition), 0, other))
        scene.db.run(("HSET", webhook, "url", receiver.url, "secret", "x"))
        scene.db.run(("ZADD", bot_keys.webhook_queue.prefix(partition) + other, 0, "1-1"))
    claimed = deliveries.claim(scene.db, partition, 1, others)
    assert [delivery.bot_uid for delivery in claimed] == [scene.bot]
    claimed = deliveries.claim(scene.db, partition, 9, others[1:])
    assert [str(delivery.bot_uid) for delivery in claimed] == others[:1]
