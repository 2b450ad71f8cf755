"""Reporting a message, or a whole chat, to the operator."""

from functools import partial

from flask import g, redirect

from webapp.chat.page.forms import ReportForm, SentForms
from webapp.chat.page.params import PageParams
from webapp.chat.page.render import render_chat
from webapp.chat.web import ViewResponse, chat_blueprint, chat_url
from webapp.core.store import parse_id
from webapp.core.web import site
from webapp.reports.forms import confirm

from . import store

bp = chat_blueprint("chat_reports", __name__)


@bp.post("/<cid:cid>/report")
def report(cid: str) -> ViewResponse:
    """Report a message, or the whole chat."""
    form = ReportForm()
    message_id = parse_id(form.message.data or "")
    send = partial(store.report, site(), g.viewer.uid, cid, message_id)
    if not form.carry_out(lambda: send(*form.given), "chat", refusals=()):
        return render_chat(cid, PageParams.around(message_id or 0), SentForms(report=form))
    confirm(form.outcome)
    return redirect(chat_url(cid, message_id or 0), 303)
