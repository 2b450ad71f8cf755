"""The answers of webhooks: a message of the bot, once for each delivery."""

from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any

import orjson
import pytest

from tests.support.chat import all_messages, texts
from tests.support.concurrently import at_once
from tests.support.crashing_db import dies
from tests.support.webhook_receiver import Receiver, Responder, status
from tests.support.webhook_scene import WebhookScene
from webapp.accounts import lifecycle
from webapp.chat.bots import deliveries, store as bots, webhook_delivery, webhook_worker, webhooks
from webapp.chat.ids import direct_id
from webapp.chat.members import group_chats, membership
from webapp.config import Rate
from webapp.core.store import partition_of
from webapp.following.blocks import store as blocks


def answer(body: Any, media_type: str = "application/json; charset=utf-8") -> Responder:
    """Return a responder that sends this body as JSON; bytes as they are."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", media_type)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return respond


def numbered() -> Responder:
    """Return a responder whose answer has another text each time."""
    numbers = count(1)
    return lambda handler: answer({"text": f"answer {next(numbers)}"})(handler)


def test_answer_is_sent_as_a_message_of_the_bot(scene: WebhookScene, receiver: Receiver) -> None:
    receiver.responders = [answer({"text": "Sunny, @ben", "in_reply_to_id": 1})]
    scene.send("@jay weather?")
    assert scene.deliver() == 1
    [_, sent] = all_messages(scene.db, scene.ben, scene.group)
    assert (sent.author_uid, sent.text, sent.reply_to) == (scene.bot, "Sunny, @ben", 1)
    assert sent.mentions("ben")
    assert not scene.webhook.answer_error and scene.webhook.last_delivered
    direct = direct_id(scene.ben, scene.bot)
    scene.send("and tomorrow?", cid=direct)
    receiver.responders = [answer({"text": "Rain"})]
    scene.deliver()
    assert texts(all_messages(scene.db, scene.ben, direct)) == ["and tomorrow?", "Rain"]


@pytest.mark.parametrize(
    "responder",
    [
        answer({"ok": True}),
        answer({"text": None}),
        answer(b"", "application/json"),
        answer([]),
        answer("ok"),
        answer({"text": "hello"}, "text/plain"),
        answer(b"<p>hello</p>", "text/html"),
        status(204),
    ],
)
def test_response_without_a_text_sends_nothing(
    responder: Responder, scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [responder]
    scene.send("@jay hello")
    assert scene.deliver() == 1
    assert texts(all_messages(scene.db, scene.ben, scene.group)) == ["@jay hello"]
    assert not scene.webhook.answer_error and not scene.webhook.failures


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"text": ', "bad_json"),
        (b"\xff", "bad_json"),
        ({"text": 5}, "bad_text"),
        ({"text": " "}, "bad_text"),
        ({"text": "x" * 2_001}, "text_long"),
        ({"text": "x" * 40_000}, "answer_long"),
        ({"text": "x" * 400_000}, "answer_long"),
        ({"text": "yes", "in_reply_to_id": "one"}, "bad_in_reply_to_id"),
        ({"text": "yes", "in_reply_to_id": 9}, "no_message"),
    ],
)
def test_answer_that_cannot_be_sent_is_noted_and_fails_nothing(
    body: Any, code: str, scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [answer(body), status(200)]
    scene.send("@jay hello")
    assert scene.deliver() == 1
    assert texts(all_messages(scene.db, scene.ben, scene.group)) == ["@jay hello"]
    webhook = scene.webhook
    assert webhook.answer_error == code and webhook.last_delivered
    assert not (webhook.failures or webhook.waiting or webhook.undelivered)
    scene.send("@jay again")
    scene.deliver()
    assert not scene.webhook.answer_error


def test_longest_text_is_sent_however_it_is_escaped(
    scene: WebhookScene, receiver: Receiver
) -> None:
    body = b'{"text": "' + b"\\ud83d\\udc26" * 2_000 + b'"}'
    receiver.responders = [answer(body)]
    scene.send("@jay sing")
    scene.deliver()
    assert texts(all_messages(scene.db, scene.ben, scene.group))[1:] == ["🐦" * 2_000]


def test_rules_for_bots_hold_for_answers(scene: WebhookScene, receiver: Receiver) -> None:
    site = scene.site
    receiver.responders = [answer({"text": "me too"})]
    group_chats.change(site, scene.ann, scene.group, kind="announcement")
    scene.send("@jay only owners write here", uid=scene.ann)
    scene.deliver()
    assert scene.webhook.answer_error == "only_owners"
    direct = direct_id(scene.ben, scene.bot)
    scene.send("hello", cid=direct)
    blocks.block(site, scene.ben, "ann")  # the bot's owner
    scene.deliver()
    assert scene.webhook.answer_error == "cannot_write_them"
    assert texts(all_messages(site.db, scene.ben, direct)) == ["hello"]


def test_answers_count_against_the_limit_of_the_bot(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [numbered()]
    scene.send("@jay one", "@jay two")
    assert scene.deliver(replace(scene.config, limit_chat=Rate(1, 600))) == 2
    assert texts(all_messages(scene.db, scene.ben, scene.group))[2:] == ["answer 1"]
    assert scene.webhook.answer_error == "too_many" and not scene.webhook.failures


def test_bot_that_leaves_or_is_suspended_meanwhile_sends_nothing(
    scene: WebhookScene, receiver: Receiver
) -> None:
    site = scene.site

    def leave(handler: BaseHTTPRequestHandler) -> None:
        membership.leave(site, scene.bot, scene.group)
        answer({"text": "gone"})(handler)

    def suspend(handler: BaseHTTPRequestHandler) -> None:
        lifecycle.suspend(site, scene.ann)
        answer({"text": "gone"})(handler)

    for responder, code in ((leave, "not_in_chat"), (suspend, "suspended")):
        receiver.responders = [responder]
        scene.send("@jay hello")
        assert scene.deliver() == 1
        assert scene.webhook.answer_error == code
        membership.add(site, scene.ben, scene.group, [scene.bot])
    assert texts(all_messages(site.db, scene.ben, scene.group)) == ["@jay hello"] * 2


def test_answers_of_bots_call_no_bots(scene: WebhookScene, receiver: Receiver) -> None:
    other = bots.create_bot(scene.site, scene.ann, "crow", "Crow").uid
    membership.add(scene.site, scene.ann, scene.group, [other])
    webhooks.set_webhook(scene.site, other, receiver.url)
    receiver.responders = [answer({"text": "@crow @jay your turn"})]
    scene.send("@jay hello")
    scene.deliver()
    scene.apply_events()
    assert scene.deliver() == 0 and len(receiver.requests) == 1
    assert len(all_messages(scene.db, scene.ben, scene.group)) == 2


def test_death_at_any_line_sends_the_answer_once(scene: WebhookScene, receiver: Receiver) -> None:
    receiver.responders = [numbered()]
    for step in count():
        scene.send(f"@jay {step}")
        died = dies(scene, step, lambda site: webhook_worker.WebhookDelivery(site).run_due())
        scene.make_all_due()  # as when the lease of the dead worker runs out
        while scene.deliver():
            scene.make_all_due()
        answers = [
            message
            for message in all_messages(scene.db, scene.ben, scene.group)
            if message.author_uid == scene.bot
        ]
        assert len(answers) == step + 1, f"died before trip {step}"
        if not died:
            break
    assert step > 5 and not scene.webhook.answer_error


def test_two_workers_send_the_answer_of_a_delivery_once(
    scene: WebhookScene, receiver: Receiver
) -> None:
    receiver.responders = [numbered()]
    scene.send("@jay hello")
    (claimed,) = deliveries.claim(scene.db, partition_of(scene.bot), 5)

    def deliver(_: int) -> None:
        webhook_delivery.deliver(scene.site, claimed)

    at_once(8, deliver, range(8))
    assert len(receiver.requests) == 8
    assert len(all_messages(scene.db, scene.ben, scene.group)) == 2
