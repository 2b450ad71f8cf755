"""Rendering messages outside a request, with the template that pages use."""

from collections import OrderedDict
from collections.abc import Sequence

from flask import Flask, render_template

from webapp.chat.models import Chat, Message
from webapp.core.i18n import preferences
from webapp.core.logs import log

from .related import Related

TEMPLATE = "chat/messages/message.html"
FALLBACK_TEMPLATE = "chat/messages/unavailable.html"  # for a message that cannot be rendered
REPORTED_MAX = 1_000  # messages that could not be rendered and are in the log already


class Renderer:
    """Renders messages as pages do, for no viewer in particular. Safe in any thread."""

    def __init__(self, app: Flask, site_url: str) -> None:
        """Render for the app, whose pages are at the public address `site_url`."""
        self._app, self._site_url = app, site_url
        self._reported: OrderedDict[tuple[str, int], None] = OrderedDict()

    def __call__(
        self, chat: Chat, messages: Sequence[Message], related: Related, language: str
    ) -> list[str]:
        """Return the HTML of each message, in the language of this code."""
        headers = {"Cookie": f"{preferences.LANGUAGE_COOKIE}={language}"}
        with self._app.test_request_context(base_url=self._site_url, headers=headers):
            return [self._render_one(chat, message, related) for message in messages]

    def _render_one(self, chat: Chat, message: Message, related: Related) -> str:
        try:
            return render_template(TEMPLATE, chat=chat, message=message, related=related)
        except Exception:  # one message must not hold up those after it
            self._report_once(chat.id, message.id)
            return render_template(FALLBACK_TEMPLATE, message=message)

    def _report_once(self, cid: str, message_id: int) -> None:
        """Log an error once: a message is rendered again for each language and each reader."""
        if (cid, message_id) not in self._reported:
            self._reported[cid, message_id] = None
            log.exception("message %d of chat %s cannot be rendered", message_id, cid)
            if len(self._reported) > REPORTED_MAX:
                self._reported.popitem(last=False)
