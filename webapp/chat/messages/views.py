"""Messages: sending, editing, deleting and answering them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from urllib.parse import urlsplit

from flask import Blueprint, flash, g, redirect, request, url_for
from flask_babel import gettext as _

from webapp.accounts.store import member_by_id
from webapp.chat.forms import EditForm, MessageForm, ReactForm
from webapp.chat.members import policy as members_policy
from webapp.chat.page import (
    PageParams,
    ViewResponse,
    chat_url,
    cid_or_404,
    handle_forbidden,
    message_id_or_404,
    render_chat,
    retry_headers,
)
from webapp.chat.store import Card, Draft, Picture, other_member_uid
from webapp.core.forms.fields import PICTURES_MAX, UploadedPicture, uploaded_pictures
from webapp.core.media import storage as media
from webapp.core.media.images import BadPicture
from webapp.core.store.ids import parse_id
from webapp.core.text.cleaning import clean_name
from webapp.core.text.parser import Unacceptable
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.redirects import safe_path
from webapp.core.web.view_options import accepts_uploads
from webapp.errors import Conflict, Forbidden, NotFound, RateLimited, Refused, Unavailable

from . import reading, sending
from .cards import load_shareable
from .message_text import find_linked_status

bp = Blueprint("chat_messages", __name__, url_prefix="/chats/<cid>/messages")
bp.register_error_handler(Forbidden, handle_forbidden)


@bp.post("")
@accepts_uploads(PICTURES_MAX)
def create(cid: str) -> ViewResponse:
    """Sends a message; what cannot be sent comes back as it was written, with the reason."""
    cid = cid_or_404(cid)
    form = MessageForm()
    pictures = uploaded_pictures()
    form.has_pictures = bool(pictures)
    stored: list[Picture] = []
    try:
        _consume_limit(bool(pictures))
        if not form.validate_on_submit():
            return render_chat(cid, PageParams(form=form), 422)
        stored = _store_pictures(cid, pictures)
        message_id = sending.send(
            db(), config(), g.viewer.uid, cid, _build_draft(form, stored), form.key.data
        )
    except BadPicture as refusal:
        form.text.errors = [str(refusal.sentence)]
        return render_chat(cid, PageParams(form=form), 422)
    except Refused as refusal:
        if not isinstance(
            refusal, Unavailable
        ):  # after which the message may have been sent all the same
            media.remove_chat_pictures(config(), [picture.name for picture in stored])
        return _render_refusal(cid, PageParams(form=form), refusal, form.text)
    if stored:
        _remove_unused_pictures(cid, message_id, stored)
    return ({"id": message_id}, 201) if _wants_json() else redirect(chat_url(cid, message_id), 303)


@bp.post("/<message>/edit")
def edit(cid: str, message: str) -> ViewResponse:
    """Changes one's own message."""
    cid, message_id = cid_or_404(cid), message_id_or_404(message)
    form = EditForm()
    params = PageParams(edit=form, message_id=message_id, window={"around": message_id})
    if not form.validate_on_submit():
        return render_chat(cid, params, 422)
    try:
        _consume_limit()
        reading.open_page(
            db(), g.viewer.uid, cid, size=1
        )  # nobody else learns which messages there are
        sending.edit(
            db(), config(), g.viewer.uid, cid, message_id, form.parsed.text, form.parsed.entities
        )
    except Refused as refusal:
        return _render_refusal(cid, params, refusal, form.text)
    return _redirect_to_message(cid, message_id)


@bp.post("/<message>/delete")
def delete(cid: str, message: str) -> ViewResponse:
    """Deletes a message for everybody."""
    cid, message_id = cid_or_404(cid), message_id_or_404(message)
    _consume_limit()
    sending.delete(db(), config(), g.viewer.uid, cid, message_id)
    if not _wants_json():
        flash(_("The message is deleted for everyone."))
    return _redirect_to_message(cid, message_id)


@bp.post("/<message>/<any(react, unreact):act>")
def react(cid: str, message: str, act: str) -> ViewResponse:
    """Answers a message with an emoji, or takes that back."""
    cid, message_id = cid_or_404(cid), message_id_or_404(message)
    form = ReactForm()
    if not form.validate_on_submit():
        return render_chat(
            cid, PageParams(react=form, message_id=message_id, window={"around": message_id}), 422
        )
    _consume_limit()
    sending.react(db(), config(), g.viewer.uid, cid, message_id, form.emoji.data, act == "react")
    return _redirect_to_message(cid, message_id)


def _render_refusal(cid: str, params: PageParams, refusal: Refused, field: object) -> ViewResponse:
    """The page with the form as it was left, where the refusal is about what was written; its own page otherwise."""
    is_form_error = isinstance(refusal, Conflict | RateLimited | Unavailable) or refusal.code in (
        "cannot_write_them",
        "only_owners",
    )
    if not is_form_error:
        raise refusal
    field.errors = [str(refusal.sentence)]  # type: ignore[attr-defined]
    return render_chat(cid, params, refusal.status, retry_headers(refusal))


def _build_draft(form: MessageForm, pictures: list[Picture]) -> Draft:
    parsed = form.parsed
    reply, status_id = parse_id(form.reply.data or ""), parse_id(form.status.data or "")
    if status_id is None:
        status_id, linked = (
            find_linked_status(parsed.entities, urlsplit(config().site_url).netloc or request.host),
            True,
        )
    else:
        linked = False
    return Draft(
        parsed.text, parsed.entities, reply or 0, tuple(pictures), _load_card(status_id, linked)
    )


def _load_card(status_id: int | None, linked: bool) -> Card | None:
    """The card of a post. One that cannot be shown is no reason to refuse a text that merely links to it."""
    if status_id is None:
        return None
    try:
        return Card(status_id, load_shareable(db(), status_id, g.viewer.uid).author.uid)
    except (NotFound, Forbidden):
        if linked:
            return None
        raise


def _store_pictures(cid: str, pictures: list[UploadedPicture]) -> list[Picture]:
    """The pictures of a message, kept under names that no other request gives, so that they may be removed again.
    Raises BadPicture, when there are too many too; NotFound, Forbidden.
    """
    limit = config().chat_pictures_max
    if len(pictures) > limit:
        raise BadPicture("too_many", _("A message has at most %(most)d pictures.", most=limit))
    if pictures:
        _require_may_write(cid)
    stored: list[Picture] = []
    salt = secrets.token_urlsafe()
    try:
        for upload in pictures:
            saved = media.save_in_chat(
                config(), cid, upload.file.stream, upload.file.mimetype, salt
            )
            stored.append(Picture(*saved, _clean_alt(upload.alt)))
    except (BadPicture, Unavailable):
        media.remove_chat_pictures(config(), [picture.name for picture in stored])
        raise
    return stored


def _require_may_write(cid: str) -> None:
    """Nobody fills the folder of a chat that they cannot write in. A direct one may begin with a picture. Raises
    NotFound, Forbidden.
    """
    other_uid = other_member_uid(cid, g.viewer.uid)
    try:
        chat_page = reading.open_page(db(), g.viewer.uid, cid, size=1)
    except NotFound:
        if other_uid is None:
            raise
    else:
        if chat_page.chat.kind == "announcement" and not chat_page.is_owner:
            raise Forbidden("only_owners")
    if other_uid is not None and (
        member_by_id(db(), other_uid).suspended
        or members_policy.is_blocked(db(), g.viewer.uid, other_uid)
    ):
        raise Forbidden("cannot_write_them")


def _remove_unused_pictures(cid: str, message_id: int, stored: list[Picture]) -> None:
    """Removes the pictures where the message names others: the form had been sent before."""
    with suppress(Refused):  # it is sent, whatever else happens
        chat_page = reading.open_page(db(), g.viewer.uid, cid, around=message_id, size=1)
        used_names = {
            picture.name
            for one in chat_page.messages
            if one.id == message_id
            for picture in one.pictures
        }
        media.remove_chat_pictures(config(), {picture.name for picture in stored} - used_names)


def _clean_alt(alt: str) -> str:
    try:
        return clean_name(alt[: config().alt_max], config().alt_max)
    except Unacceptable:
        return ""


def _wants_json() -> bool:
    """Whether a page's script asks, which shows what comes of it by itself."""
    return (
        request.accept_mimetypes.best_match(("text/html", "application/json")) == "application/json"
    )


def _redirect_to_message(cid: str, message_id: int) -> ViewResponse:
    """Back to the page that the message was on, at the message; nothing for a script."""
    if _wants_json():
        return "", 204
    target = safe_path(request.form.get("back"))
    base_url = url_for("chats.show", cid=cid)
    if not target or target.partition("?")[0] != base_url:
        target = base_url
    return redirect(f"{target.partition('#')[0]}#m{message_id}", 303)


def _consume_limit(has_pictures: bool = False) -> None:
    uid = str(g.viewer.uid)
    picture_limits = [("chat-pictures", uid, config().limit_pictures)] if has_pictures else []
    rate_limits.consume(db(), ("chat", uid, config().limit_chat), *picture_limits)
