"""The page on which a member allows an app."""

from flask import Blueprint, Response, g, redirect as redirect_to, render_template, request
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response as AnyResponse
from wtforms import HiddenField

from webapp.accounts.sessions.password_proof import ProofForm, current_session, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.web import db, no_store, prefetch, site
from webapp.core.web.security import policy_with_form_action

from . import codes
from .requests import ConsentRequest, consent_request

bp = Blueprint("oauth", __name__)
SCOPE_LABELS = {
    "read": _l("See everything in your account, except your chats"),
    "write": _l("Post, like, boost, upload and change things for you"),
    "follow": _l("Follow, mute and block people for you"),
    "push": _l("Get your notifications"),
    "profile": _l("See your name and picture"),
}


class ConsentForm(ProofForm):
    """The member's answer to an app. `answer`: allow or deny."""

    answer = HiddenField()


@bp.get("/oauth/authorize", strict_slashes=False)
@prefetch(recent_proof)
def authorize(proved: bool) -> Response:
    """Ask the member whether an app may act for them."""
    wanted = consent_request(db(), request.args.to_dict())
    return _consent_page(wanted, ConsentForm(formdata=None, proved=proved))


@bp.post("/oauth/authorize", strict_slashes=False)
@prefetch(recent_proof)
def answer(proved: bool) -> AnyResponse:
    """Lead back to the app with a code or a refusal, or show the code."""
    wanted = consent_request(db(), request.args.to_dict())
    form = ConsentForm(proved=proved)
    if form.answer.data != "allow":
        denied = wanted.location(error="access_denied")
        return redirect_to("/home" if wanted.is_out_of_band else denied, 303)
    if not (form.validate_on_submit() and form.prove()):
        return _consent_page(wanted, form, 422)
    code = codes.grant(
        site(),
        g.viewer.uid,
        wanted.app,
        wanted.redirect,
        wanted.scopes,
        wanted.challenge,
        current_session(),
        current_device_note(),
    )
    if wanted.is_out_of_band:
        page = render_template("client_api/code.html", app=wanted.app, code=code)
        return no_store(Response(page))
    return no_store(Response(status=303, headers={"Location": wanted.location(code=code)}))


def _consent_page(wanted: ConsentRequest, form: ConsentForm, status: int = 200) -> Response:
    groups = dict.fromkeys(scope.partition(":")[0] for scope in wanted.scopes)
    page = render_template(
        "client_api/authorize.html",
        app=wanted.app,
        form=form,
        labels=[SCOPE_LABELS[group] for group in groups],
    )
    response = no_store(Response(page, status))
    # Browsers apply the policy of a form to the address that its answer leads to.
    return policy_with_form_action(response, wanted.redirect_source)
