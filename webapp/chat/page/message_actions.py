"""Sending, editing and deleting messages, and reacting to them."""

from flask import flash, g, redirect, request
from flask_babel import gettext as _

from webapp.chat import reading
from webapp.chat.messages import sending, uploads
from webapp.chat.messages.forms import EditForm, MessageForm, ReactForm
from webapp.chat.messages.related import find_card
from webapp.chat.models import Content
from webapp.chat.web import ViewResponse, chat_blueprint, chat_url
from webapp.core.errors import Conflict, RateLimited, Refused, Unavailable
from webapp.core.forms.fields import PICTURES_MAX, Form, uploaded_pictures
from webapp.core.media.decoding import BadPicture
from webapp.core.store import parse_id
from webapp.core.web import accepts_uploads, db, redirect_back, site
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited

from .forms import SentForms
from .params import PageParams
from .render import render_chat

bp = chat_blueprint("chat_messages", __name__, "/chats/<cid:cid>/messages")
# Refusals that are shown beside the text.
FORM_ERRORS = {"cannot_write_them", "only_owners", "no_message"}


@bp.post("")
@accepts_uploads(PICTURES_MAX)
def create(cid: str) -> ViewResponse:
    """Send a message. One that cannot be sent comes back with the reason."""
    form = MessageForm()
    pictures = uploaded_pictures()
    form.has_pictures = bool(pictures)
    sent = SentForms(message=form)
    try:
        uploads.consume_limits(g.viewer.uid, form.has_pictures)
        if not form.validate_on_submit():
            return render_chat(cid, PageParams(), sent)
        content = _build_content(form)
        message_id = uploads.send(g.viewer.uid, cid, content, pictures, form.key.data)
    except BadPicture as refusal:
        form.refuse(refusal, "text")
        return render_chat(cid, PageParams(), sent)
    except Refused as refusal:
        if refusal.code == "no_message":  # which it replies to
            form.reply.data = ""
        return _render_refusal(cid, PageParams(), sent, refusal, form)
    if _wants_json():
        return {"id": message_id}, 201
    return redirect(chat_url(cid, message_id), 303)


@bp.post("/<id:message_id>/edit")
def edit(cid: str, message_id: int) -> ViewResponse:
    """Change one's own message."""
    form = EditForm()
    sent, params = SentForms(edit=form), PageParams.around(message_id)
    if not form.validate_on_submit():
        return render_chat(cid, params, sent)
    try:
        consume_for_viewer("chat")
        # Only members learn which messages there are.
        db().read(reading.open_chat(g.viewer.uid, cid))
        changes = (form.new_text, form.parsed.entities, form.alts)
        sending.edit(site(), g.viewer.uid, cid, message_id, *changes)
    except Refused as refusal:
        return _render_refusal(cid, params, sent, refusal, form)
    return _redirect_to_message(cid, message_id)


@bp.post("/<id:message_id>/delete")
@rate_limited("chat")
def delete(cid: str, message_id: int) -> ViewResponse:
    """Delete a message for everybody."""
    sending.delete(site(), g.viewer.uid, cid, message_id)
    if not _wants_json():
        flash(_("Message deleted for everyone."))
    return _redirect_to_message(cid, message_id)


@bp.post("/<id:message_id>/<any(react, unreact):action>")
def react(cid: str, message_id: int, action: str) -> ViewResponse:
    """React to a message with an emoji, or take that back."""
    form = ReactForm()
    if not form.validate_on_submit():
        return render_chat(cid, PageParams.around(message_id), SentForms(react=form))
    consume_for_viewer("chat")
    add = action == "react"
    sending.react(site(), g.viewer.uid, cid, message_id, form.emoji.data, add)
    return _redirect_to_message(cid, message_id)


def _build_content(form: MessageForm) -> Content:
    """Return the message of a form, without its pictures. At most two trips."""
    parsed = form.parsed
    return Content(
        text=parsed.text,
        entities=parsed.entities,
        reply_to=parse_id(form.reply.data or "") or 0,
        card=find_card(g.viewer.uid, parse_id(form.status.data or ""), parsed.entities),
    )


def _render_refusal(
    cid: str, params: PageParams, sent: SentForms, refusal: Refused, form: Form
) -> ViewResponse:
    """Render the page with the form as it was sent, and the refusal beside its text.

    Raises the refusal if it is not about the text.
    """
    is_temporary = isinstance(refusal, Conflict | RateLimited | Unavailable)
    if not is_temporary and refusal.code not in FORM_ERRORS:
        raise refusal
    form.refuse(refusal, "text")
    return render_chat(cid, params, sent)


def _wants_json() -> bool:
    """Return True for a request of the page's script, which shows the result itself."""
    accepted = request.accept_mimetypes.best_match(("text/html", "application/json"))
    return accepted == "application/json"


def _redirect_to_message(cid: str, message_id: int) -> ViewResponse:
    """Redirect to the page of the chat that the form was on, at the message.

    Scripts get an empty answer.
    """
    if _wants_json():
        return "", 204
    path, _, _ = request.form.get("next", "").partition("?")
    if path == chat_url(cid):
        return redirect_back(path, anchor=f"m{message_id}")
    return redirect(chat_url(cid, message_id), 303)
