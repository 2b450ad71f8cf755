"""Messages that are delivered to a bot's webhook, and how they are signed."""

import hashlib
import hmac
from dataclasses import replace

import pytest

from tests.support import chat, worker
from tests.support.settings import with_settings
from tests.support.webhook_receiver import Receiver, status
from tests.support.webhook_scene import WebhookScene
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.accounts.tokens import keys as token_keys
from webapp.chat import keys as chat_keys
from webapp.chat.bots import (
    deliveries,
    keys as bot_keys,
    projections as bot_projections,
    store as bots,
    webhooks,
)
from webapp.chat.ids import direct_id
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Site, partition_of


def test_mention_sends_a_signed_request(scene: WebhookScene, receiver: Receiver) -> None:
    (number,) = scene.send("hello @JAY 麻雀")
    assert scene.deliver() == 1
    [request] = receiver.requests
    timestamp = request.headers["x-linnet-timestamp"]
    signed = f"{timestamp}.".encode() + request.body
    mac = hmac.new(scene.secret.encode(), signed, hashlib.sha256)
    assert request.headers["x-linnet-signature"] == f"sha256={mac.hexdigest()}"
    assert request.path == "/hook?from=linnet"
    assert request.headers["content-type"] == "application/json"
    data = request.data
    assert data["delivery"] == request.headers["x-linnet-delivery"]
    assert data["event"] == "message" and data["bot"]["username"] == "jay"
    assert data["chat"]["id"] == scene.group and data["chat"]["name"] == "Larks"
    message = data["message"]
    assert message["id"] == number and message["text"] == "hello @JAY 麻雀"
    assert message["author"]["id"] == scene.ben and not message["author"]["bot"]
    assert scene.webhook.last_delivered and not scene.webhook.waiting and not scene.webhook.failures
    assert scene.deliver() == 0


def test_direct_messages_are_delivered(scene: WebhookScene, receiver: Receiver) -> None:
    cid = direct_id(scene.ben, scene.bot)
    scene.send("one", "two", cid=cid)
    scene.deliver()
    assert [
        (request.data["chat"]["type"], request.data["message"]["text"])
        for request in receiver.requests
    ] == [("direct", "one"), ("direct", "two")]


def test_other_messages_are_not_delivered(
    scene: WebhookScene, receiver: Receiver, world: World
) -> None:
    (cid,) = world.people("cid")
    elsewhere = scene.do(chat.group, cid)
    scene.send("nobody named", "@ben only", "not@jay")
    scene.send("@jay is not here", uid=cid, cid=elsewhere)
    scene.send("I am @jay myself", uid=scene.bot)
    other = bots.create_bot(scene.site, scene.ann, "crow", "Crow").uid
    scene.do(membership.add, scene.ann, scene.group, [other])
    scene.send("@jay, I am a bot too", uid=other)
    assert scene.deliver() == 0 and not receiver.requests


def test_event_applied_twice_is_delivered_once(scene: WebhookScene, receiver: Receiver) -> None:
    (number,) = scene.send("hello @jay")
    delivery = scene.db.run(("ZRANGE", bot_keys.webhook_queue(scene.bot), 0, 0))[0]
    partition, _, oid = delivery.partition("-")
    data = {"chat": scene.group, "id": str(number), "uid": str(scene.ben), "sent_at": "1"}
    event = Event(oid, int(partition), "fanout", 1_000_000, "message_sent", "-", data)
    context = Context(scene.db, scene.config, lambda: None)
    bot_projections.queue_deliveries(context, [event])
    assert scene.webhook.waiting == 1 and scene.deliver() == 1
    bot_projections.queue_deliveries(context, [event, event])
    assert scene.deliver() == 0 and len(receiver.requests) == 1


def test_deleted_message_or_removed_bot_is_not_delivered(
    scene: WebhookScene, receiver: Receiver
) -> None:
    (number,) = scene.send("secret @jay")
    scene.do(sending.delete, scene.ben, scene.group, number)
    assert scene.deliver() == 1 and not receiver.requests and not scene.webhook.waiting
    scene.send("@jay come back")
    scene.do(membership.remove, scene.ann, scene.group, scene.bot)
    assert scene.deliver() == 1 and not receiver.requests and not scene.webhook.undelivered


@pytest.mark.parametrize("whose", ["owner", "bot"])
def test_nothing_is_delivered_while_owner_or_bot_is_suspended(
    whose: str, scene: WebhookScene, receiver: Receiver
) -> None:
    scene.send("hello @jay")
    scene.do(lifecycle.suspend, scene.ann if whose == "owner" else scene.bot)
    scene.deliver()
    assert not receiver.requests


@pytest.mark.parametrize("whose", ["owner", "bot"])
def test_deleted_bot_leaves_no_keys(whose: str, scene: WebhookScene, receiver: Receiver) -> None:
    receiver.responders = [status(500)]
    scene.send("hello @jay")
    scene.deliver()
    if whose == "owner":
        lifecycle.delete_account(scene.site, scene.ann, None)
    else:
        bots.remove(scene.site, scene.ann, "jay")
    scene.apply_events()
    bot = scene.bot
    keys = (
        bot_keys.webhook,
        bot_keys.webhook_queue,
        bot_keys.webhook_payloads,
        bot_keys.webhook_failures,
        token_keys.tokens,
        inbox_keys.member_chats,
    )
    assert scene.db.trip(*(("EXISTS", key(bot)) for key in keys)) == [0] * len(keys)
    assert scene.db.run(("ZSCORE", bot_keys.due_webhooks(partition_of(bot)), bot)) is None
    assert scene.db.run(("ZSCORE", chat_keys.chat_members(scene.group), bot)) is None
    if whose == "bot":
        scene.send("@jay are you there?")
    assert scene.deliver() == 0 and len(receiver.requests) == 1


def test_removing_a_webhook_drops_its_queue(scene: WebhookScene, receiver: Receiver) -> None:
    scene.send("hello @jay")
    webhooks.remove_webhook(scene.db, scene.bot)
    scene.send("and @jay again")
    assert scene.db.read(webhooks.get_webhook(scene.bot)) is None
    due = bot_keys.due_webhooks(partition_of(scene.bot))
    scene.db.run(("ZADD", due, 1, scene.bot))  # as between the steps of the removal
    assert scene.deliver() == 0
    assert not receiver.requests and not scene.db.run(("EXISTS", due))


def test_deliveries_beyond_the_queue_limit_are_given_up(
    world: World, open_site: Site, receiver: Receiver
) -> None:
    few = with_settings(open_site, webhook_waiting=2)
    scene = WebhookScene(few, world.people, lambda: worker.drain(few), receiver.url)
    scene.send(*(f"@jay {number}" for number in range(deliveries.UNDELIVERED_MAX + 8)))
    webhook = scene.webhook
    assert webhook.waiting == 2 and len(webhook.undelivered) == deliveries.UNDELIVERED_MAX
    assert {one.error for one in webhook.undelivered} == {deliveries.TOO_MANY}
    assert webhook.undelivered[0].message_id > webhook.undelivered[1].message_id


def test_unreadable_secret_is_reported_and_nothing_is_sent(
    scene: WebhookScene, receiver: Receiver
) -> None:
    scene.send("hello @jay")
    scene.deliver(replace(scene.config, secret_key="another"))
    assert not receiver.requests and scene.webhook.undelivered[0].error == "no_secret"
    sealed = scene.db.run(("HGET", bot_keys.webhook(scene.bot), "secret"))
    assert scene.secret not in sealed
