"""The answers of webhooks: a message that a bot's program sends with its response."""

import orjson

from webapp.chat.api.content import parse_content
from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.config import Config
from webapp.core.errors import Invalid, Refused, Unavailable
from webapp.core.net.safe_http import Response
from webapp.core.store import Site
from webapp.core.web import rate_limits

ANSWER_MAX = 32_768  # bytes of an answer; a message of the longest text takes less
KEY_SECONDS = 7 * 86_400  # how long an answer is remembered: longer than a delivery is retried


def send_answer(site: Site, bot_uid: int, cid: str, delivery_id: str, response: Response) -> str:
    """Send the message of a webhook's answer, once for each delivery. At most nine trips.

    Return "", or the code of why it cannot be sent. Raises Unavailable: the delivery comes again.
    """
    try:
        content = _parse_answer(site.config, response)
        if content is not None:
            rate_limits.consume(site.db, ("chat", str(bot_uid), site.config.limit_chat))
            key = f"delivery {delivery_id}"
            sending.send_once(site, bot_uid, cid, content, key, KEY_SECONDS)
    except Unavailable:
        raise
    except Refused as refusal:
        return refusal.code
    return ""


def _parse_answer(config: Config, response: Response) -> Content | None:
    """Return the message of an answer, None if it has none. Raises Invalid, Refused."""
    if response.media_type != "application/json" or not response.body.strip():
        return None
    if len(response.body) > ANSWER_MAX:
        raise Invalid("answer_long")
    try:
        fields = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise Refused("bad_json") from None
    # Many programs answer something like {"ok": true}.
    if not isinstance(fields, dict) or fields.get("text") is None:
        return None
    return parse_content(fields, config.chat_message_max)
