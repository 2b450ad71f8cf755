"""A member's settings: profile, password, sessions, access tokens, and the end of the account."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, session, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from webapp.accounts import lifecycle, profile
from webapp.accounts.quote_policy import parse_quote_policy
from webapp.accounts.sessions import credentials, listing
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME, sha_of
from webapp.accounts.sessions.cookies import clear_session_cookie
from webapp.accounts.sessions.device_names import device_name
from webapp.accounts.tokens import page as tokens_page
from webapp.accounts.tokens import store as tokens
from webapp.core.media import storage as media
from webapp.core.media.images import BadPicture
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.security import no_store
from webapp.core.web.view_options import accepts_uploads
from webapp.errors import Invalid, NotFound, Refused

from .forms import DeleteForm, PasswordForm, PrivacyForm, ProfileForm, TokenForm

bp = Blueprint("settings", __name__, url_prefix="/settings")
bp.after_request(no_store)  # a new token, addresses, and pages after signing out
ViewResponse = str | Response | tuple[str, int]


@bp.get("")
def index() -> Response:
    """The first page of the settings."""
    return redirect(url_for("settings.edit_profile"), 303)


@bp.route("/profile", methods=["GET", "POST"])
@accepts_uploads(2)
def edit_profile() -> ViewResponse:
    """What a member says of themselves, and their pictures."""
    about = db().read(profile.about(g.viewer.uid))
    current_values = {"bio": about.text, "location": about.location, "website": about.website}
    form = ProfileForm(name=g.viewer.name, **current_values)
    if request.method != "POST":
        return render_template("accounts/settings/profile.html", form=form, about=about)
    if not form.validate_on_submit():
        return render_template("accounts/settings/profile.html", form=form, about=about), 422
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    changes = {field: form[field].data for field in ("name", "bio", "location", "website")}
    for kind in ("avatar", "header"):
        picture = form[kind].data
        if picture:
            try:
                changes[kind] = media.save(
                    config(), g.viewer.uid, kind, picture.stream, picture.mimetype
                )
            except BadPicture as refusal:
                form[kind].errors = [str(refusal.sentence)]
        elif form[f"remove_{kind}"].data:
            changes[kind] = ""
    if form.avatar.errors or form.header.errors:
        return render_template("accounts/settings/profile.html", form=form, about=about), 422
    try:
        profile.edit(db(), config(), g.viewer.uid, changes)
    except NotFound:  # deleted meanwhile, and swept already
        media.remove_all(config(), g.viewer.uid)
        raise
    flash(_("Your profile is saved."))
    return redirect(url_for("timelines.profile", login=g.viewer.login), 303)


@bp.route("/password", methods=["GET", "POST"])
def password() -> ViewResponse:
    """Another password; whoever is signed in elsewhere is signed out."""
    form = PasswordForm()
    if request.method != "POST":
        return render_template("accounts/settings/password.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/settings/password.html", form=form), 422
    _limit_password_attempts()
    try:
        ended_count = credentials.change_password(
            db(), config(), g.viewer.uid, form.old.data, form.new.data, _current_session_sha()
        )
    except Invalid as refusal:
        form.old.errors = [str(refusal.sentence)]
        return render_template("accounts/settings/password.html", form=form), refusal.status
    flash(_("Your password is changed."))
    if ended_count:
        flash(
            ngettext(
                "%(num)d other device is signed out.",
                "%(num)d other devices are signed out.",
                ended_count,
            )
        )
    return redirect(url_for("settings.list_sessions"), 303)


@bp.route("/privacy", methods=["GET", "POST"])
def privacy() -> ViewResponse:
    """Whether only followers whom a member accepts see what they post, and who may quote it."""
    form = PrivacyForm(protected=g.viewer.protected, quoting=g.viewer.quote_policy.slug)
    if request.method != "POST":
        return render_template("accounts/settings/privacy.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/settings/privacy.html", form=form), 422
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    protected, quote_policy = bool(form.protected.data), parse_quote_policy(form.quoting.data)
    if quote_policy is not g.viewer.quote_policy:
        profile.edit(db(), config(), g.viewer.uid, {"quoting": quote_policy.value})
        flash(_("Saved. It goes for posts to come."))
    if lifecycle.protect(db(), config(), g.viewer.uid, protected):
        flash(
            _("Your posts are protected now.")
            if protected
            else _("Everybody can see your posts now.")
        )
    return redirect(url_for("settings.privacy"), 303)


@bp.get("/sessions")
def list_sessions() -> str:
    """Where a member is signed in."""
    session_list = listing.list_sessions(db(), request.cookies[COOKIE_NAME])
    return render_template(
        "accounts/settings/sessions.html", sessions=session_list, device_name=device_name
    )


@bp.post("/sessions/<sha>/end")
def end_session(sha: str) -> Response:
    """Signs one device out."""
    if sha == _current_session_sha():
        return redirect(
            url_for("settings.list_sessions"), 303
        )  # this one signs out by its own button
    if sessions.end_one(db(), config(), g.viewer.uid, sha):
        flash(_("That device is signed out."))
    return redirect(url_for("settings.list_sessions"), 303)


@bp.post("/sessions/end")
def end_other_sessions() -> Response:
    """Signs all other devices out."""
    ended_count = sessions.end_others(db(), config(), request.cookies[COOKIE_NAME])
    flash(
        ngettext(
            "%(num)d other device is signed out.",
            "%(num)d other devices are signed out.",
            ended_count,
        )
    )
    return redirect(url_for("settings.list_sessions"), 303)


@bp.route("/tokens", methods=["GET", "POST"])
def list_tokens() -> ViewResponse:
    """A member's access tokens; a new one is shown in the answer to the form that made it, and never again."""
    form, new_token, status = TokenForm(), None, 200
    if request.method == "POST":
        status = 422
        if form.validate_on_submit():
            rate_limits.consume(db(), ("token", str(g.viewer.uid), config().limit_token))
            try:
                new_token, status = (
                    tokens.create(
                        db(), config(), g.viewer.uid, form.name.data, _current_session_sha()
                    ),
                    201,
                )
                form.name.data = ""
            except Refused as refusal:
                form.name.errors, status = [str(refusal.sentence)], refusal.status
    return tokens_page.render_page(status, token_form=form, new_token=new_token)


@bp.post("/tokens/<sha>/revoke")
def revoke_token(sha: str) -> Response:
    """Makes an access token invalid."""
    if tokens.revoke(db(), config(), g.viewer.uid, sha):
        flash(_("The token is revoked."))
    return redirect(url_for("settings.list_tokens"), 303)


@bp.route("/delete", methods=["GET", "POST"])
def delete_account() -> ViewResponse:
    """Deletes the account."""
    form = DeleteForm()
    if request.method != "POST":
        return _render_delete_page(form)
    if not form.validate_on_submit():
        return _render_delete_page(form), 422
    _limit_password_attempts()
    try:
        lifecycle.delete_account(db(), config(), g.viewer.uid, form.password.data)
    except Invalid as refusal:
        form.password.errors = [str(refusal.sentence)]
        return _render_delete_page(form), refusal.status
    session.clear()
    response = clear_session_cookie(redirect(url_for("timelines.index"), 303))
    flash(_("Your account is deleted. What it held is being removed."))
    return response


def _render_delete_page(form: DeleteForm) -> str:
    return render_template(
        "accounts/settings/delete.html", form=form, name_kept_days=config().name_kept_days
    )


def _current_session_sha() -> str:
    return sha_of(request.cookies[COOKIE_NAME])


def _limit_password_attempts() -> None:
    """A password that is asked for again may be guessed at as often as at a sign-in, counted apart from strangers'."""
    rate_limits.consume(db(), ("confirm", str(g.viewer.uid), config().limit_signin_account))
