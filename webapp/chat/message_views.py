"""Messages: sending, editing, deleting and answering them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from urllib.parse import urlsplit

from flask import Blueprint, flash, g, redirect, request, url_for
from flask_babel import gettext as _

from .. import limits, media
from ..accounts.store import by_id
from ..app import config, db
from ..errors import Conflict, Forbidden, NotFound, RateLimited, Refused, Unavailable
from ..forms import PICTURES_MAX, Chosen, chosen
from ..ids import parse_id
from ..security import safe_path, takes_pictures
from ..text import Unacceptable, clean_name
from . import asking, reading, sending
from .cards import carried
from .drafting import linked_status
from .forms import EditForm, MessageForm, ReactForm
from .page import Asked, View, back_to, forbidden, known_cid, known_message, retry_headers, show
from .store import Card, Draft, Picture, other

bp = Blueprint("chat_messages", __name__, url_prefix="/chats/<cid>/messages")
bp.register_error_handler(Forbidden, forbidden)


@bp.post("")
@takes_pictures(PICTURES_MAX)
def create(cid: str) -> View:
    """Sends a message; what cannot be sent comes back as it was written, with the reason."""
    cid = known_cid(cid)
    form = MessageForm()
    pictures = chosen()
    form.carries = bool(pictures)
    kept: list[Picture] = []
    try:
        _count(bool(pictures))
        if not form.validate_on_submit():
            return show(cid, Asked(form=form), 422)
        kept = _keep(cid, pictures)
        number = sending.send(db(), config(), g.viewer.uid, cid, _draft(form, kept), form.key.data)
    except media.BadPicture as refusal:
        form.text.errors = [str(refusal.sentence)]
        return show(cid, Asked(form=form), 422)
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # after which the message may have been sent all the same
            media.remove(config(), [picture.name for picture in kept])
        return _refused(cid, Asked(form=form), refusal, form.text)
    if kept:
        _drop_others(cid, number, kept)
    return ({"id": number}, 201) if _by_script() else redirect(back_to(cid, number), 303)


@bp.post("/<message>/edit")
def edit(cid: str, message: str) -> View:
    """Changes one's own message."""
    cid, number = known_cid(cid), known_message(message)
    form = EditForm()
    page = Asked(edit=form, about=number, where={"around": number})
    if not form.validate_on_submit():
        return show(cid, page, 422)
    try:
        _count()
        reading.opened(db(), g.viewer.uid, cid, size=1)  # nobody else learns which messages there are
        sending.edit(db(), config(), g.viewer.uid, cid, number, form.parsed.text, form.parsed.entities)
    except Refused as refusal:
        return _refused(cid, page, refusal, form.text)
    return _done(cid, number)


@bp.post("/<message>/delete")
def delete(cid: str, message: str) -> View:
    """Deletes a message for everybody."""
    cid, number = known_cid(cid), known_message(message)
    _count()
    sending.delete(db(), config(), g.viewer.uid, cid, number)
    if not _by_script():
        flash(_("The message is deleted for everyone."))
    return _done(cid, number)


@bp.post("/<message>/<any(react, unreact):act>")
def react(cid: str, message: str, act: str) -> View:
    """Answers a message with an emoji, or takes that back."""
    cid, number = known_cid(cid), known_message(message)
    form = ReactForm()
    if not form.validate_on_submit():
        return show(cid, Asked(react=form, about=number, where={"around": number}), 422)
    _count()
    sending.react(db(), config(), g.viewer.uid, cid, number, form.emoji.data, act == "react")
    return _done(cid, number)


def _refused(cid: str, page: Asked, refusal: Refused, field: object) -> View:
    """The page with the form as it was left, where the refusal is about what was written; its own page otherwise."""
    about_it = isinstance(refusal, Conflict | RateLimited | Unavailable) or refusal.code in (
        "cannot_write_them",
        "only_owners",
    )
    if not about_it:
        raise refusal
    field.errors = [str(refusal.sentence)]  # type: ignore[attr-defined]
    return show(cid, page, refusal.status, retry_headers(refusal))


def _draft(form: MessageForm, pictures: list[Picture]) -> Draft:
    parsed = form.parsed
    reply, status = parse_id(form.reply.data or ""), parse_id(form.status.data or "")
    if status is None:
        status, linked = linked_status(parsed.entities, urlsplit(config().site_url).netloc or request.host), True
    else:
        linked = False
    return Draft(parsed.text, parsed.entities, reply or 0, tuple(pictures), _card(status, linked))


def _card(status: int | None, linked: bool) -> Card | None:
    """The card of a post. One that cannot be shown is no reason to refuse a text that merely links to it."""
    if status is None:
        return None
    try:
        return Card(status, carried(db(), status, g.viewer.uid).author.uid)
    except (NotFound, Forbidden):
        if linked:
            return None
        raise


def _keep(cid: str, pictures: list[Chosen]) -> list[Picture]:
    """The pictures of a message, kept under names that no other request gives, so that they may be removed again.
    Raises BadPicture, when there are too many too; NotFound, Forbidden.
    """
    most = config().chat_pictures_max
    if len(pictures) > most:
        raise media.BadPicture("too_many", _("A message has at most %(most)d pictures.", most=most))
    if pictures:
        _check_may_write(cid)
    kept: list[Picture] = []
    salt = secrets.token_urlsafe()
    try:
        for one in pictures:
            saved = media.save_in_chat(config(), cid, one.file.stream, one.file.mimetype, salt)
            kept.append(Picture(*saved, _described(one.alt)))
    except (media.BadPicture, Unavailable):
        media.remove(config(), [picture.name for picture in kept])
        raise
    return kept


def _check_may_write(cid: str) -> None:
    """Nobody fills the folder of a chat that they cannot write in. A direct one may begin with a picture. Raises
    NotFound, Forbidden.
    """
    to = other(cid, g.viewer.uid)
    try:
        opened = reading.opened(db(), g.viewer.uid, cid, size=1)
    except NotFound:
        if to is None:
            raise
    else:
        if opened.chat.kind == "announcement" and not opened.owner:
            raise Forbidden("only_owners")
    if to is not None and (by_id(db(), to).suspended or asking.blocked(db(), g.viewer.uid, to)):
        raise Forbidden("cannot_write_them")


def _drop_others(cid: str, number: int, kept: list[Picture]) -> None:
    """Removes the pictures where the message names others: the form had been sent before."""
    with suppress(Refused):  # it is sent, whatever else happens
        page = reading.opened(db(), g.viewer.uid, cid, around=number, size=1)
        named = {picture.name for one in page.messages if one.id == number for picture in one.pictures}
        media.remove(config(), {picture.name for picture in kept} - named)


def _described(alt: str) -> str:
    try:
        return clean_name(alt[: config().alt_max], config().alt_max)
    except Unacceptable:
        return ""


def _by_script() -> bool:
    """Whether a page's script asks, which shows what comes of it by itself."""
    return request.accept_mimetypes.best_match(("text/html", "application/json")) == "application/json"


def _done(cid: str, number: int) -> View:
    """Back to the page that the message was on, at the message; nothing for a script."""
    if _by_script():
        return "", 204
    page = safe_path(request.form.get("back"))
    home = url_for("chats.show", cid=cid)
    if not page or page.partition("?")[0] != home:
        page = home
    return redirect(f"{page.partition('#')[0]}#m{number}", 303)


def _count(pictures: bool = False) -> None:
    uid = str(g.viewer.uid)
    more = [("chat-pictures", uid, config().limit_pictures)] if pictures else []
    limits.take(db(), ("chat", uid, config().limit_chat), *more)
