"""The pages of a member's settings."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, session, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts import lifecycle, profile
from webapp.accounts.quote_policy import parse_quote_policy
from webapp.accounts.sessions import credentials
from webapp.accounts.sessions.cookie_value import COOKIE_NAME, sha_of
from webapp.accounts.sessions.cookies import clear_session_cookie
from webapp.accounts.sessions.messages import flash_signed_out
from webapp.core.media import storage as media
from webapp.core.web.context import config, db
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.security import no_store
from webapp.core.web.view_options import accepts_uploads
from webapp.errors import Invalid, NotFound

from .forms import DeleteForm, PasswordForm, PrivacyForm, ProfileForm
from .pictures import PICTURES, save_pictures

bp = Blueprint("settings", __name__, url_prefix="/settings")
bp.after_request(no_store)  # these pages are not for the next person at the browser
ViewResponse = str | Response | tuple[str, int]


@bp.get("")
def index() -> Response:
    """Redirect to the first page of the settings."""
    return redirect(url_for("settings.edit_profile"), 303)


@bp.route("/profile", methods=["GET", "POST"])
@accepts_uploads(len(PICTURES))
def edit_profile() -> ViewResponse:
    """Edit the viewer's profile and pictures."""
    about = db().read(profile.about(g.viewer.uid))
    form = ProfileForm(
        name=g.viewer.name, bio=about.text, location=about.location, website=about.website
    )
    if request.method != "POST":
        return render_template("accounts/settings/profile.html", form=form, about=about)
    if not form.validate_on_submit():
        return render_template("accounts/settings/profile.html", form=form, about=about), 422
    consume_for_viewer("edit")
    changes = {field: form[field].data for field in ("name", "bio", "location", "website")}
    changes |= save_pictures(form)
    if any(form[kind].errors for kind in PICTURES):
        return render_template("accounts/settings/profile.html", form=form, about=about), 422
    try:
        profile.edit(db(), config(), g.viewer.uid, changes)
    except NotFound:  # the account was deleted meanwhile, and its pictures with it
        media.remove_all(config(), g.viewer.uid)
        raise
    flash(_("Profile saved."))
    return redirect(url_for("timelines.profile", login=g.viewer.login), 303)


@bp.route("/password", methods=["GET", "POST"])
def password() -> ViewResponse:
    """Change the viewer's password, and sign out all other devices."""
    form = PasswordForm()
    if request.method != "POST":
        return render_template("accounts/settings/password.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/settings/password.html", form=form), 422
    _limit_password_attempts()
    current_session = sha_of(request.cookies[COOKIE_NAME])
    try:
        ended_count = credentials.change_password(
            db(), config(), g.viewer.uid, form.old.data, form.new.data, current_session
        )
    except Invalid as refusal:
        form.old.errors = [str(refusal.sentence)]
        return render_template("accounts/settings/password.html", form=form), refusal.status
    flash(_("Password changed."))
    if ended_count:
        flash_signed_out(ended_count)
    return redirect(url_for("sessions.index"), 303)


@bp.route("/privacy", methods=["GET", "POST"])
def privacy() -> ViewResponse:
    """Choose who sees the viewer's posts, and who may quote posts to come."""
    form = PrivacyForm(protected=g.viewer.protected, quoting=g.viewer.quote_policy.slug)
    if request.method != "POST":
        return render_template("accounts/settings/privacy.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/settings/privacy.html", form=form), 422
    consume_for_viewer("edit")
    quote_policy = parse_quote_policy(form.quoting.data)
    if quote_policy is not g.viewer.quote_policy:
        profile.edit(db(), config(), g.viewer.uid, {"quoting": quote_policy.value})
        flash(_("Saved. It applies to new posts."))
    protected = bool(form.protected.data)
    if lifecycle.protect(db(), config(), g.viewer.uid, protected):
        flash(
            _("Your posts are protected now.")
            if protected
            else _("Everybody can see your posts now.")
        )
    return redirect(url_for("settings.privacy"), 303)


@bp.route("/delete", methods=["GET", "POST"])
def delete_account() -> ViewResponse:
    """Delete the viewer's account."""
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
    flash(_("Your account was deleted. Your data is being removed."))
    return response


def _render_delete_page(form: DeleteForm) -> str:
    return render_template(
        "accounts/settings/delete.html", form=form, name_kept_days=config().name_kept_days
    )


def _limit_password_attempts() -> None:
    """Count an attempt at the viewer's password, apart from attempts to sign in."""
    consume_for_viewer("signin_account", bucket="confirm")
