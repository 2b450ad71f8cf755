"""A member's bots: making and naming them, their access tokens and webhooks, and their end."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, g, make_response, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.chat.store import parse_cid
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.security import no_store
from webapp.errors import Conflict, NotFound, Refused

from . import store as bots
from . import webhooks
from .forms import BotForm, BotTokenForm, NameForm, WebhookForm

bp = Blueprint("bots", __name__, url_prefix="/settings/bots")
bp.after_request(no_store)  # secrets, this one time
DELIVERY_ERRORS = {
    "bad_address": _l("the address cannot be used"),
    "no_host": _l("the name in the address leads nowhere"),
    "not_public": _l("the address is not on the public internet"),
    "late": _l("no answer in time"),
    "no_answer": _l("no answer"),
    "no_secret": _l("its secret cannot be read any more; save the webhook again"),
    "too_many": _l("too many messages waited"),
}


@bp.get("")
def index() -> FlaskResponse:
    """A member's bots, and a form for another."""
    return _render_list(BotForm(formdata=None))


@bp.post("")
def create() -> Response:
    """A new bot."""
    form = BotForm()
    if not form.validate_on_submit():
        return _render_list(form, 422)
    _consume_limit()
    try:
        bot = bots.create_bot(db(), config(), g.viewer.uid, form.login.data, form.name.data)
    except Conflict as refusal:
        form.login.errors = [str(refusal.sentence)]
        return _render_list(form, refusal.status)
    flash(_("@%(login)s is there. Give it a token, and add it to a chat.", login=bot.login))
    return _redirect_to_bot(bot.login)


@bp.get("/<login>")
def show(login: str) -> FlaskResponse:
    """One bot."""
    return _render_page(bots.get_owned(db(), g.viewer.uid, login))


@bp.post("/<login>/name")
def rename(login: str) -> Response:
    """Calls a bot otherwise."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), NameForm()
    if not form.validate_on_submit():
        return _render_page(bot, 422, name_form=form)
    _consume_limit()
    bots.rename(db(), config(), g.viewer.uid, login, form.name.data)
    flash(_("The bot has its new name."))
    return _redirect_to_bot(bot.login)


@bp.post("/<login>/tokens")
def create_token(login: str) -> Response:
    """A new access token of a bot, shown in this answer and never again."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), BotTokenForm()
    if not form.validate_on_submit():
        return _render_page(bot, 422, token_form=form)
    _consume_limit()
    try:
        token = tokens.create(db(), config(), bot.uid, form.token.data)
    except Refused as refusal:
        form.token.errors = [str(refusal.sentence)]
        return _render_page(bot, refusal.status, token_form=form)
    return _render_page(bot, 201, new_token=token)


@bp.post("/<login>/tokens/<sha>/revoke")
def revoke_token(login: str, sha: str) -> Response:
    """Makes a bot's access token invalid."""
    bot = bots.get_owned(db(), g.viewer.uid, login)
    if tokens.revoke(db(), config(), bot.uid, sha):
        flash(_("The token is revoked."))
    return _redirect_to_bot(bot.login)


@bp.post("/<login>/webhook")
def change_webhook(login: str) -> Response:
    """Says where a bot is told of messages; the secret is shown in this answer and never again."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), WebhookForm()
    if not form.validate_on_submit():
        return _render_page(bot, 422, webhook_form=form)
    _consume_limit()
    return _render_page(
        bot, 201, secret=webhooks.set_webhook(db(), config(), bot.uid, form.url.data)
    )


@bp.post("/<login>/webhook/remove")
def remove_webhook(login: str) -> Response:
    """A bot is told of nothing any more."""
    bot = bots.get_owned(db(), g.viewer.uid, login)
    webhooks.remove_webhook(db(), bot.uid)
    flash(_("The webhook is removed."))
    return _redirect_to_bot(bot.login)


@bp.post("/<login>/chats/<cid>/leave")
def leave(login: str, cid: str) -> Response:
    """Takes a bot out of a group."""
    parsed_cid = parse_cid(cid)
    if parsed_cid is None:
        raise NotFound("no_chat")
    bots.leave_group(db(), config(), g.viewer.uid, login, parsed_cid)
    flash(_("@%(login)s has left the chat.", login=login))
    return _redirect_to_bot(login)


@bp.post("/<login>/delete")
def delete(login: str) -> Response:
    """Deletes a bot."""
    bots.remove(db(), config(), g.viewer.uid, login)
    flash(_("The bot is deleted. What it wrote in chats stays there."))
    return redirect(url_for("bots.index"), 303)


def _render_list(form: BotForm, status: int = 200) -> FlaskResponse:
    html = render_template(
        "chat/bots/index.html", form=form, bots=bots.list_bots(db(), g.viewer.uid)
    )
    return make_response(html, status)


def _render_page(
    bot: Member,
    status: int = 200,
    name_form: NameForm | None = None,
    token_form: BotTokenForm | None = None,
    webhook_form: WebhookForm | None = None,
    **shown_once: Any,
) -> FlaskResponse:
    """A bot's page, with what was just made (`new_token`, `secret`: of the webhook), or a form that comes back."""
    webhook = webhooks.get_webhook(db(), bot.uid)
    html = render_template(
        "chat/bots/edit.html",
        bot=bot,
        name_form=name_form or NameForm(formdata=None, name=bot.name),
        token_form=token_form or BotTokenForm(formdata=None),
        tokens=tokens.list_tokens(db(), bot.uid),
        webhook_form=webhook_form or WebhookForm(formdata=None, url=webhook.url if webhook else ""),
        webhook=webhook,
        error_text=_error_text,
        groups=bots.groups(db(), bot.uid),
        **shown_once,
    )
    return make_response(html, status)


def _error_text(error: str) -> str:
    """What stood in the way of a request, in words."""
    kind, _space, status = error.partition(" ")
    if kind == "answer":
        return str(_("the answer was %(status)s", status=status))
    return str(DELIVERY_ERRORS.get(kind, kind))


def _redirect_to_bot(login: str) -> Response:
    return redirect(url_for("bots.show", login=login), 303)


def _consume_limit() -> None:
    rate_limits.consume(db(), ("bot", str(g.viewer.uid), config().limit_token))
