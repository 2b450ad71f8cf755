"""From a proved account to a session, by way of the second step where the account has one."""

from flask import redirect, render_template, url_for

from webapp.core.forms.refused_forms import RefusedForm
from webapp.core.web import Response, no_store_page, safe_path, site

from .factors import challenges
from .factors.entering import enter, show_again
from .factors.forms import CodeForm
from .factors.security_page import site_party
from .sessions.credentials import Verified


def go_on(verified: Verified, next_path: str | None, refused: RefusedForm | None) -> Response:
    """Ask for the code of a member with a second step; let any other member in.

    `next_path`: where to go then, if it is a page of this site. `refused`: a form to show again.
    """
    path, member = safe_path(next_path), verified.member
    if not verified.second_step:
        return enter(member, verified.epoch, path or url_for("timelines.home"), refused)
    challenge = challenges.begin(site(), member.uid, verified.epoch)
    return code_page(CodeForm(formdata=None, challenge=challenge, next=path or ""), refused)


def already_in(next_path: str | None, refused: RefusedForm | None) -> Response:
    """Answer a log-in of somebody who is signed in: with their refused form, or the next page."""
    if refused:
        return show_again(refused)
    return redirect(safe_path(next_path) or url_for("timelines.home"), 303)


def code_page(form: CodeForm, refused: RefusedForm | None, status: int = 200) -> Response:
    """Return the page that asks for the code of a second step."""
    page = render_template(
        "accounts/second_step.html",
        form=form,
        refused=refused,
        has_passkeys=site_party() is not None,
    )
    return no_store_page(page, status)
