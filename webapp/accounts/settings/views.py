"""The pages of a member's settings."""

from flask import Blueprint, flash, g, redirect, render_template, session, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts import lifecycle, profile
from webapp.accounts.sessions import credentials
from webapp.accounts.sessions.cookies import clear_session_cookie
from webapp.accounts.sessions.device_names import flash_signed_out
from webapp.accounts.sessions.password_proof import current_session, limit_password_attempts
from webapp.accounts.settings.quote_policy import parse_quote_policy
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Invalid, NotFound
from webapp.core.errors.sentences import SENTENCES
from webapp.core.media import removal
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read
from webapp.core.web import ViewResponse, accepts_uploads, config, no_store, redirect_back, site
from webapp.core.web.prefetching import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer

from .forms import PICTURES, DeleteForm, PasswordForm, PrivacyForm, ProfileForm, save_pictures

bp = Blueprint("settings", __name__, url_prefix="/settings")
bp.after_request(no_store)  # these pages are not for the next person at the browser


@bp.get("")
def index() -> Response:
    """List all pages of the settings."""
    return render_kept("accounts/settings/index.html", replayable=True)


@bp.get("/appearance")
def appearance() -> str:
    """Offer languages and themes, and link cards if the site has any."""
    has_link_cards = config().link_cards != "off"
    return render_template("accounts/settings/appearance.html", has_link_cards=has_link_cards)


def _about(requester: Requester) -> Read[profile.About]:
    return profile.about(requester.uid or 0)


@bp.route("/profile", methods=["GET", "POST"])
@accepts_uploads(len(PICTURES))
@prefetch(_about)
def edit_profile(about: profile.About) -> ViewResponse:
    """Edit the viewer's profile and pictures."""
    form = ProfileForm(
        name=g.viewer.name, bio=about.text, location=about.location, website=about.website
    )
    changes: dict[str, str] = {}

    def check() -> None:
        changes.update((name, form[name].data) for name in ("name", "bio", "location", "website"))
        profile.check(config(), changes)
        changes.update(save_pictures(form))

    if not form.carry_out(check, "edit") or any(form[kind].errors for kind in PICTURES):
        return form.render("accounts/settings/profile.html", about=about)
    try:
        profile.edit(site(), g.viewer.uid, changes)
    except NotFound:  # the account was deleted meanwhile, and its pictures with it
        removal.remove_all(config(), g.viewer.uid)
        raise
    flash(_("Profile saved."))
    return redirect_back(url_for("timelines.profile", login=g.viewer.login))


@bp.route("/password", methods=["GET", "POST"])
def password() -> ViewResponse:
    """Change the viewer's password, and sign out all other devices."""
    form = PasswordForm()

    def change() -> int:
        limit_password_attempts()
        return credentials.change_password(
            site(),
            g.viewer.uid,
            form.old.data,
            form.new.data,
            keep_session=current_session(),
            revoke_tokens=form.revoke.data,
            agent=current_device_note("password_changed"),
        )

    if not form.carry_out(change, field="old", refusals=Invalid):
        due = SENTENCES["password_due"] if g.session.must_change else ""
        return form.render("accounts/settings/password.html", due=due)
    flash(_("Password changed."))
    if form.revoke.data:
        flash(_("Your access tokens, apps, bot tokens and private feed were revoked."))
    if form.outcome:
        flash_signed_out(form.outcome)
    return redirect(url_for("sessions.index"), 303)


@bp.route("/privacy", methods=["GET", "POST"])
@prefetch(_about)
def privacy(about: profile.About) -> ViewResponse:
    """Choose who sees the viewer's posts and likes, may quote posts to come, and begins chats."""
    policy = g.viewer.quote_policy
    form = PrivacyForm(
        protected=g.viewer.protected,
        quote_policy=policy.slug,
        chats_from=about.chats_from,
        likes_hidden=about.likes_hidden,
        hidden_from_search=g.viewer.hidden_from_search,
    )
    if not form.validate_on_submit():
        return form.render("accounts/settings/privacy.html")
    consume_for_viewer("edit")
    if changes := _privacy_changes(form, about):
        profile.edit(site(), g.viewer.uid, changes)
    if lifecycle.protect(site(), g.viewer.uid, protected := bool(form.protected.data)):
        flash(
            _("Your posts are now protected.")
            if protected
            else _("Everyone can now see your posts.")
        )
    return redirect(url_for("settings.privacy"), 303)


def _privacy_changes(form: PrivacyForm, about: profile.About) -> dict[str, str]:
    """Return the fields that a form changes, and flash the meaning of each change."""
    changes = {}
    policy = g.viewer.quote_policy
    if (chosen := parse_quote_policy(form.quote_policy.data)) is not policy:
        changes["quote_policy"] = chosen.value
        flash(_("Saved. This applies to new posts."))
    if (senders := form.chats_from.data) != about.chats_from:
        changes["chats_from"] = senders
        flash(_("Saved. This applies to new chats."))
    if (hide := bool(form.likes_hidden.data)) != about.likes_hidden:
        changes["likes_hidden"] = "1" if hide else ""
        flash(
            _("Only you can see your likes now.") if hide else _("Your likes show on your profile.")
        )
    if (hide := bool(form.hidden_from_search.data)) != g.viewer.hidden_from_search:
        changes["hidden_from_search"] = "1" if hide else ""
        flash(_("Search no longer finds you.") if hide else _("People can find you by searching."))
    return changes


@bp.route("/delete", methods=["GET", "POST"])
def delete_account() -> ViewResponse:
    """Delete the viewer's account."""
    form = DeleteForm()

    def delete() -> None:
        limit_password_attempts()
        lifecycle.delete_account(site(), g.viewer.uid, form.password.data)

    if not form.carry_out(delete, field="password", refusals=Invalid):
        kept_days = config().name_kept_days
        return form.render("accounts/settings/delete.html", name_kept_days=kept_days)
    session.clear()
    response = clear_session_cookie(redirect(url_for("timelines.index"), 303))
    flash(_("Your account was deleted. Your data is being removed."))
    return response
