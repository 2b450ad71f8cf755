"""The forms on a chat's page, and the messages that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import g
from wtforms import HiddenField

from webapp.chat.messages.forms import EditForm, MessageForm, ReactForm
from webapp.chat.messages.related import Related, load_shareable
from webapp.chat.messages.template_filters import editable
from webapp.chat.models import Message
from webapp.chat.reading import ChatPage
from webapp.core.errors import Forbidden, NotFound, Refused
from webapp.core.forms.fields import Form
from webapp.core.store import parse_id
from webapp.core.web import config, db
from webapp.reports import forms
from webapp.statuses import Status

from .params import PageParams


@dataclass(frozen=True, slots=True)
class SentForms:
    """Forms that were sent and are shown again, with their errors."""

    message: MessageForm | None = None
    edit: EditForm | None = None
    react: ReactForm | None = None
    report: ReportForm | None = None

    @property
    def refused(self) -> Form | None:
        """Return the one that was sent."""
        return self.message or self.edit or self.react or self.report


def form_context(
    chat_page: ChatPage, related: Related, params: PageParams, sent: SentForms
) -> dict[str, Any]:
    """Return the page's forms for its template. At most two trips, for a shared status.

    Raises NotFound for an action on a message that is not on the page, Forbidden for editing
    somebody else's.
    """
    target = chat_page.find(params.message_id) if params.message_id else None
    if params.message_id and target is None:
        raise NotFound("no_message")
    reply_to = str(params.message_id) if params.action == "reply" else ""
    message_form = sent.message or MessageForm(reply=reply_to, text=params.text)
    return {
        "form": message_form,
        "edit": sent.edit or _edit_form(params, target),
        "react": sent.react or (ReactForm() if params.action == "react" else None),
        "report": sent.report or _report_form(params),
        "target": target,
        "parent": _parent(chat_page, related.parents, message_form.reply.data),
        "shared_status": _shared_status(message_form.status.data),
        "pictures_max": config().chat_pictures_max,
        "alt_max": config().alt_max,
        "max_characters": config().chat_message_max,
    }


def _edit_form(params: PageParams, target: Message | None) -> EditForm | None:
    if params.action != "edit" or target is None:
        return None
    if target.author_uid != g.viewer.uid:
        raise Forbidden("not_yours")
    return EditForm(text=target.text, keep_text="" if editable(target) else "1")


def _report_form(params: PageParams) -> ReportForm | None:
    if params.action != "report":
        return None
    return ReportForm(message=params.message_id) if params.message_id else ReportForm()


def _parent(
    chat_page: ChatPage, parents: Mapping[int, Message], reply_to: str | None
) -> Message | None:
    """Return the message that the composer replies to, if it is loaded."""
    parent_id = parse_id(reply_to or "")
    if parent_id is None:
        return None
    return chat_page.find(parent_id) or parents.get(parent_id)


def _shared_status(status_id: str | None) -> Status | None:
    parsed = parse_id(status_id or "")
    if parsed is None:
        return None
    try:
        return load_shareable(db(), parsed, g.viewer.uid)
    except Refused:
        return None


class ReportForm(forms.ReportForm):
    """Why something is reported. `message` is a message id, empty for the whole chat."""

    message = HiddenField()
