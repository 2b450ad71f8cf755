"""Making the requests of webhooks, and trying again after failures."""

import hashlib
import hmac
import time
from dataclasses import replace

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat import reading
from webapp.chat.api.serializers import chat_to_json, member_to_json, message_to_json
from webapp.chat.messages.related import related_to
from webapp.chat.reading import ChatPage
from webapp.core.errors import Refused, Unavailable
from webapp.core.net import encryption, safe_http
from webapp.core.store import Db, Site

from .deliveries import ClaimedDelivery, Payload, finish
from .webhook_answers import send_answer
from .webhooks import secret_purpose

TIMEOUT_SECONDS = 10.0  # for an answer
# Seconds before each further try; after the last the delivery is given up.
RETRY_DELAYS = (10, 30, 120, 600, 1_800, 3_600, 7_200)
AGE_MAX_SECONDS = 86_400  # a failing delivery that is older is given up after any try


class MessageGone(Exception):
    """Raised if there is nothing to deliver: the message is gone, or the bot lost its rights."""


def deliver(site: Site, delivery: ClaimedDelivery) -> None:
    """Make one request and note how it went."""
    payload = delivery.payload
    try:
        if payload is None:
            raise MessageGone
        body = _request_body(site.db, delivery, payload)
    except MessageGone:
        return finish(site, delivery, "dropped")
    secret = encryption.unseal(
        site.config, secret_purpose(delivery.bot_uid), delivery.sealed_secret
    )
    if secret is None:
        return finish(site, delivery, "given up", _failed(payload, "no_secret"))
    headers = _headers(delivery.id, secret, body)
    try:
        response = safe_http.post(
            delivery.url, body, headers, site.config.webhook_private, TIMEOUT_SECONDS
        )
    except safe_http.RequestFailed as error:
        return _retry_or_give_up(site, delivery, _failed(payload, str(error)))
    if 200 <= response.status < 300:
        problem = _answer(site, delivery, payload, response)
        return finish(site, delivery, "done", replace(payload, error=problem))
    return _retry_or_give_up(site, delivery, _failed(payload, f"answer {response.status}"))


def _answer(
    site: Site, delivery: ClaimedDelivery, payload: Payload, response: safe_http.Response
) -> str:
    """Send the message in the answer, and return why it cannot be sent."""
    try:
        bot = _active_bot(site.db, delivery.bot_uid)
    except MessageGone:
        return "suspended"
    return send_answer(site, bot.uid, payload.cid, delivery.id, response)


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a request: HMAC-SHA256 over `timestamp.body`."""
    mac = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={mac.hexdigest()}"


def _request_body(db: Db, delivery: ClaimedDelivery, payload: Payload) -> bytes:
    """Return the JSON of a message, as it is now. Four trips. Raises MessageGone."""
    bot = _active_bot(db, delivery.bot_uid)
    chat_page = _open_page(db, bot.uid, payload)
    message = chat_page.find(payload.message_id)
    if message is None:
        raise MessageGone
    people = db.read(related_to([message])).people
    return orjson.dumps(
        {
            "event": "message",
            "delivery": delivery.id,
            "bot": member_to_json(bot.uid, {bot.uid: bot}),
            "chat": chat_to_json(chat_page.chat),
            "message": message_to_json(payload.cid, message, people),
        }
    )


def _active_bot(db: Db, bot_uid: int) -> Member:
    """Return a bot, if neither it nor its owner is suspended. Two trips. Raises MessageGone."""
    bot = db.read(accounts.get(bot_uid))
    owner = db.read(accounts.get(bot.bot_owner)) if bot and bot.bot_owner else None
    if not bot or not owner or bot.suspended or owner.suspended:
        raise MessageGone
    return bot


def _open_page(db: Db, bot_uid: int, payload: Payload) -> ChatPage:
    """Return the chat at the message, as the bot sees it. Raises MessageGone."""
    try:
        return db.read(reading.open_page(bot_uid, payload.cid, around=payload.message_id, size=1))
    except Unavailable:
        raise
    except Refused:
        raise MessageGone from None


def _headers(delivery_id: str, secret: str, body: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Linnet-Webhook/1",
        "X-Linnet-Delivery": delivery_id,
        "X-Linnet-Timestamp": timestamp,
        "X-Linnet-Signature": sign(secret, timestamp, body),
    }


def _failed(payload: Payload, error: str) -> Payload:
    return replace(payload, tries=payload.tries + 1, error=error)


def _retry_or_give_up(site: Site, delivery: ClaimedDelivery, payload: Payload) -> None:
    """Queue a failed delivery again, or give it up. `payload` counts the failed try."""
    is_old = time.time() - payload.queued_ms / 1000 > AGE_MAX_SECONDS
    if is_old or payload.tries > len(RETRY_DELAYS):
        return finish(site, delivery, "given up", payload)
    return finish(site, delivery, "again", payload, RETRY_DELAYS[payload.tries - 1] * 1000)
