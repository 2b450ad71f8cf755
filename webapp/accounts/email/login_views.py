"""Logging in with a code by mail, instead of the password."""

from flask import Blueprint, g, redirect, request, url_for

from webapp.accounts import signing_in
from webapp.accounts.sessions import credentials
from webapp.core.errors import Invalid, Refused
from webapp.core.forms.refused_forms import RefusedForm, carried_form
from webapp.core.metrics.names import SIGNINS
from webapp.core.metrics.recorder import count
from webapp.core.web import ViewResponse, db, no_store, public, safe_path, site

from .addresses import find_member, typed_name
from .forms import LoginCodeForm, LoginNameForm
from .mail_limits import limit_codes, limit_mails, require_mail
from .secrets import LOGIN, clean_code, make_code, request as request_secret, use

bp = Blueprint("email_login", __name__, url_prefix="/login/email")
bp.before_request(require_mail)
bp.after_request(no_store)


@bp.get("")
@public
def index() -> ViewResponse:
    """Show the form of a login or an address."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    return _name_page(LoginNameForm(next=safe_path(request.args.get("next")) or ""))


@bp.post("")
@public
def send() -> ViewResponse:
    """Send a code to the address of an account, and ask for it.

    The answer and the work are the same for an account that does not exist, or has no address.
    """
    form, refused = LoginNameForm(), carried_form()
    if not form.validate_on_submit():
        return _name_page(form, refused)
    name = typed_name(form.login.data)
    limit_mails(name)
    uid, address = find_member(site(), name)
    request_secret(site(), uid, LOGIN, make_code(), typed_address=address)
    code_form = LoginCodeForm(formdata=None, login=name, next=safe_path(form.next.data) or "")
    return _code_page(code_form, refused)


@bp.post("/code")
@public
def log_in() -> ViewResponse:
    """Sign a member in with the code of a mail. Their second step follows, if they have one."""
    form, refused = LoginCodeForm(), carried_form()
    if g.viewer:
        return signing_in.answer_signed_in(form.next.data, refused)
    if not form.validate_on_submit():
        return _code_page(form, refused)
    name = typed_name(form.login.data or "")
    limit_codes(name)
    try:
        verified = _verified(name, form.code.data)
    except Refused as refusal:
        return _code_page(form.refuse(refusal, "code"), refused)
    count(SIGNINS)
    return signing_in.after_proof(verified, form.next.data, refused)


def _verified(name: str, code: str) -> credentials.Verified:
    """Use up the code of a member, and return them. Three trips. Raises Invalid, Forbidden."""
    uid, _address = find_member(site(), name)
    use(site(), uid, LOGIN, clean_code(code))
    verified = Invalid.unless(db().read(credentials.verified_member(uid)), LOGIN.refusal)
    credentials.require_open(verified)
    return verified


def _name_page(form: LoginNameForm, refused: RefusedForm | None = None) -> ViewResponse:
    return form.render("accounts/email/login.html", refused=refused)


def _code_page(form: LoginCodeForm, refused: RefusedForm | None) -> ViewResponse:
    return form.render("accounts/email/login_code.html", refused=refused)
