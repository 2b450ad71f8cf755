"""Messages as HTML outside a request, by the partial that the pages use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from flask import Flask, render_template

from webapp.chat.store import Chat, Message
from webapp.core.i18n import preferences
from webapp.core.logs import log

from .reading import Related

PARTIAL = "chat/messages/message.html"
FALLBACK_PARTIAL = "chat/messages/unavailable.html"  # of a message that cannot be rendered
REPORTED_MAX = 1_000  # messages that could not be rendered, of which the log is told once


class Renderer:
    """Renders messages as a page of the site would, for nobody in particular. Safe to call in any thread."""

    def __init__(self, app: Flask, site: str) -> None:
        """`site`: the public address of the pages."""
        self._app, self._site = app, site
        self._reported: OrderedDict[tuple[str, int], None] = OrderedDict()

    def __call__(
        self, chat: Chat, messages: Sequence[Message], related: Related, language: str
    ) -> list[str]:
        """The HTML of each message, in the language of this code; of one that cannot be rendered, that it cannot."""
        headers = {"Cookie": f"{preferences.LANGUAGE_COOKIE}={language}"}
        with self._app.test_request_context(base_url=self._site, headers=headers):
            return [self._render_one(chat, message, related) for message in messages]

    def _render_one(self, chat: Chat, message: Message, related: Related) -> str:
        try:
            return render_template(PARTIAL, chat=chat, message=message, related=related)
        except Exception:  # one message must not keep back those after it
            self._report_once(chat.id, message.id)
            return render_template(FALLBACK_PARTIAL, message=message)

    def _report_once(self, cid: str, message_id: int) -> None:
        """Tells the log, once: a message is rendered again for each language and each reader who comes back."""
        if (cid, message_id) not in self._reported:
            self._reported[cid, message_id] = None
            log.exception("message %d of chat %s cannot be rendered", message_id, cid)
            if len(self._reported) > REPORTED_MAX:
                self._reported.popitem(last=False)
