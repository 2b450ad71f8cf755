"""After a right password or mail code: ask for the second step, or complete the sign-in."""

from flask import redirect, url_for

from webapp.core.forms.refused_forms import RefusedForm
from webapp.core.web import Response, private_page, safe_path, site

from .factors import challenges
from .factors.forms import CodeForm
from .factors.security_page import site_party
from .factors.sign_in_completion import complete_sign_in, show_again
from .sessions.credentials import Verified


def after_proof(verified: Verified, next_path: str | None, refused: RefusedForm | None) -> Response:
    """Ask a member with a second step for the code; sign any other member in.

    `next_path`: where to go then, if it is a page of this site. `refused`: a form to show again.
    """
    path, member = safe_path(next_path), verified.member
    if not verified.second_step:
        return complete_sign_in(member, verified.epoch, path or url_for("timelines.home"), refused)
    challenge = challenges.begin(site(), member.uid, verified.epoch)
    return code_page(CodeForm(formdata=None, challenge=challenge, next=path or ""), refused)


def answer_signed_in(next_path: str | None, refused: RefusedForm | None) -> Response:
    """Answer the log-in of a signed-in member: with their refused form, or a redirect."""
    if refused:
        return show_again(refused)
    return redirect(safe_path(next_path) or url_for("timelines.home"), 303)


def code_page(form: CodeForm, refused: RefusedForm | None) -> Response:
    """Return the page that asks for the code of a second step."""
    return private_page(
        "accounts/second_step.html",
        form.http_status,
        form=form,
        refused=refused,
        has_passkeys=site_party() is not None,
    )
