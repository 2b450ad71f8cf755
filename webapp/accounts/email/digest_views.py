"""Beginning and ending the weekly digest: in the settings, and from a mail."""

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.accounts.store import NO_UID
from webapp.core.errors import NotFound
from webapp.core.forms.csrf import csrf
from webapp.core.web import Response, anonymous, config, consume_for_viewer, db, no_store

from .digests import switch, uid_of_token
from .mail_limits import require_mail

bp = Blueprint("digest", __name__)
bp.before_request(require_mail)
bp.after_request(no_store)


@bp.post("/settings/email/digest")
def choose() -> Response:
    """Begin or end the viewer's weekly digest."""
    consume_for_viewer("edit")
    is_on = request.form.get("digest") == "on"
    switch(db(), g.viewer.uid, is_on)
    flash(_("You’ll get a digest every week.") if is_on else _("You won’t get digests any more."))
    return redirect(url_for("email.index"), 303)


@bp.route("/unsubscribe", methods=["GET", "POST"])
@csrf.exempt
@anonymous
def unsubscribe() -> str:
    """End the digests of the member whose token a mail has.

    Mail programs send the POST themselves (RFC 8058), without a session or a form token. A GET
    only asks: some programs open all links of a mail.
    """
    token = request.values.get("token", "")  # the form is read too: a large body is refused
    uid = uid_of_token(config(), token)
    if uid == NO_UID:
        raise NotFound("bad_unsubscribe_link")
    is_done = request.method == "POST"
    if is_done:
        switch(db(), uid, is_on=False)
    return render_template("accounts/email/unsubscribe.html", token=token, is_done=is_done)
