"""A forgotten password: a link by mail, and a new password."""

import secrets

from flask import Blueprint, render_template, request, url_for
from flask_babel import gettext as _

from webapp.accounts.sessions import credentials
from webapp.accounts.store import NO_UID
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Invalid
from webapp.core.net.proxies import client_network
from webapp.core.store import parse_id
from webapp.core.web import ViewResponse, config, db, done, no_store, public, rate_limits, site

from .addresses import find_member, typed_name
from .forms import ForgotForm, ResetForm
from .mail_limits import limit_mails, require_mail
from .reset_notice import notify_reset
from .secrets import RESET, request as request_secret, use

bp = Blueprint("password_reset", __name__)
bp.before_request(require_mail)
bp.after_request(no_store)


@bp.route("/forgot-password", methods=["GET", "POST"])
@public
def forgot_password() -> ViewResponse:
    """Send a link to the address of an account.

    The answer and the work are the same for one that does not exist, or has no address.
    """
    form = ForgotForm()
    if not form.validate_on_submit():
        return form.render("accounts/email/forgot.html")
    name = typed_name(form.name.data)
    limit_mails(name)
    uid, address = find_member(site(), name)
    token = secrets.token_urlsafe(32)
    request_secret(site(), uid, RESET, token, typed_address=address)
    return render_template("accounts/email/forgot.html", form=form, is_sent=True)


@bp.route("/reset-password", methods=["GET", "POST"])
@public
def reset_password() -> ViewResponse:
    """Choose a new password, with the link of a mail. It ends all sessions."""
    form = ResetForm(token=request.args.get("token", ""))
    number, _dot, token = (form.token.data or "").partition(".")
    uid = parse_id(number) or NO_UID

    def use_token() -> None:
        rate_limits.consume(db(), ("reset", client_network(), config().limit_mail_network))
        use(site(), uid, RESET, token)

    if not form.carry_out(use_token, field="token", refusals=Invalid):
        return form.render("accounts/email/reset.html")
    credentials.reset_password(site(), uid, form.password.data, agent=current_device_note())
    notify_reset(site(), uid)
    sentence = _("Password changed. Log in with your new password.")
    return done(sentence, "accounts.login", next=url_for("second_step.access"))
