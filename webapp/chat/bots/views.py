"""Pages of a member's bots: their names, access tokens, webhooks and group chats."""

from functools import partial

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.accounts.sessions.password_proof import current_session, recent_proof
from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.core.errors import Refused
from webapp.core.forms.fields import Form
from webapp.core.web import Response, db, done, no_store, prefetch, private_page, site
from webapp.core.web.redirects import declare_act

from . import store as bots, webhooks
from .error_texts import answer_error_text, delivery_error_text
from .forms import BotForm, BotTokenForm, NameForm, WebhookForm

bp = Blueprint("bots", __name__, url_prefix="/settings/bots")
bp.after_request(no_store)  # pages that show a new secret
LEFT = _l("@%(login)s has left the chat.")
DELETED = _l("The bot was deleted. Its messages stay in the chats.")
LEAVE = "/<login>/chats/<cid:cid>/leave"
declare_act(bp, LEAVE, bots.leave_group, "bots.show", said=LEFT)
declare_act(bp, "/<login>/delete", bots.remove, "bots.index", said=DELETED)


@bp.route("", methods=["GET", "POST"])
@prefetch(recent_proof)
def index(proved: bool) -> Response:
    """Show a member's bots, or make another one."""
    form, create = BotForm(proved=proved), partial(bots.create_bot, site(), g.viewer.uid)
    if form.carry_out(
        lambda: create(form.login.data, form.name.data), "token", "bot", field="login"
    ):
        login = form.outcome.login
        said = _("@%(login)s was created. Give it a token and add it to a chat.", login=login)
        return done(said, "bots.show", login=login)
    own = bots.list_bots(db(), g.viewer.uid)
    return private_page("chat/bots/index.html", form.http_status, form=form, bots=own)


@bp.get("/<login>")
@prefetch(recent_proof)
def show(proved: bool, login: str) -> Response:
    """Show a bot."""
    return _render_page(bots.get_owned(db(), g.viewer.uid, login), proved)


@bp.post("/<login>/name")
@prefetch(recent_proof)
def rename(proved: bool, login: str) -> Response:
    """Rename a bot."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), NameForm()
    save = partial(bots.rename, site(), g.viewer.uid, login)
    if form.carry_out(lambda: save(form.name.data), "token", "bot", field="name"):
        return done(_("Name saved."), "bots.show", login=bot.login)
    return _render_page(bot, proved, name_form=form)


@bp.post("/<login>/tokens")
@prefetch(recent_proof)
def create_token(proved: bool, login: str) -> Response:
    """Make an access token for a bot. Only this page shows it."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), BotTokenForm(proved=proved)

    def make() -> str:
        return bots.create_token(site(), g.viewer.uid, bot, form.token.data, current_session())

    if form.carry_out(make, "token", "bot", field="token", refusals=Refused):
        return _render_page(bot, True, new_token=form.outcome)
    return _render_page(bot, proved, token_form=form)


@bp.post("/<login>/tokens/<sha>/revoke")
def revoke_token(login: str, sha: str) -> Response:
    """Revoke an access token of a bot."""
    bot = bots.get_owned(db(), g.viewer.uid, login)
    if tokens.revoke(site(), bot.uid, sha):
        flash(_("Token revoked."))
    return redirect(url_for("bots.show", login=bot.login), 303)


@bp.post("/<login>/webhook")
@prefetch(recent_proof)
def change_webhook(proved: bool, login: str) -> Response:
    """Set a bot's webhook. Only this page shows its secret."""
    bot, form = bots.get_owned(db(), g.viewer.uid, login), WebhookForm(proved=proved)
    set_webhook = partial(webhooks.set_webhook, site(), bot.uid)
    if form.carry_out(lambda: set_webhook(form.url.data), "token", "bot", refusals=()):
        return _render_page(bot, True, secret=form.outcome)
    return _render_page(bot, proved, webhook_form=form)


@bp.post("/<login>/webhook/remove")
def remove_webhook(login: str) -> Response:
    """Remove a bot's webhook."""
    bot = bots.get_owned(db(), g.viewer.uid, login)
    webhooks.remove_webhook(db(), bot.uid)
    return done(_("Webhook removed."), "bots.show", login=bot.login)


def _render_page(
    bot: Member,
    proved: bool,
    name_form: NameForm | None = None,
    token_form: BotTokenForm | None = None,
    webhook_form: WebhookForm | None = None,
    **secrets: str,
) -> Response:
    """Render a bot's page, with invalid forms, or with a new `new_token` or webhook `secret`.

    `proved`: forms for tokens and the webhook need not ask for the password.
    """
    webhook = db().read(webhooks.get_webhook(bot.uid))
    url = webhook.url if webhook else ""
    forms: dict[str, Form] = {
        "name_form": name_form or NameForm(formdata=None, name=bot.name),
        "token_form": token_form or BotTokenForm(formdata=None, proved=proved),
        "webhook_form": webhook_form or WebhookForm(formdata=None, url=url, proved=proved),
    }
    return private_page(
        "chat/bots/edit.html",
        201 if secrets else max(form.http_status for form in forms.values()),
        bot=bot,
        tokens=tokens.list_tokens(db(), bot.uid),
        webhook=webhook,
        error_text=delivery_error_text,
        answer_error_text=answer_error_text,
        groups=bots.group_chats(db(), bot.uid),
        **forms,
        **secrets,
    )
