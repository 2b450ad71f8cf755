"""A member's e-mail address: adding, changing and removing it."""

from flask import Blueprint, g, render_template
from flask_babel import gettext as _

from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.store import NO_UID
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Refused
from webapp.core.store import Read, gather
from webapp.core.web import (
    Requester,
    ViewResponse,
    consume_for_viewer,
    done,
    no_store,
    prefetch,
    site,
)

from .addresses import Addresses, addresses, clean_address, remove, verify
from .digests import wants_digest
from .forms import AddressForm, CodeForm
from .mail_limits import require_mail
from .secrets import VERIFY, clean_code, make_code, request

bp = Blueprint("email", __name__, url_prefix="/settings/email")
bp.before_request(require_mail)
bp.after_request(no_store)
State = tuple[Addresses, bool, bool]


def _state(requester: Requester) -> Read[State]:
    uid = requester.uid or NO_UID
    return gather(addresses(uid), recent_proof(requester), wants_digest(uid))


@bp.get("")
@prefetch(_state)
def index(state: State) -> ViewResponse:
    """Show the viewer's address, and the form of another."""
    return _page(state)


@bp.post("")
@prefetch(_state)
def add(state: State) -> ViewResponse:
    """Send a code to an address. It is the viewer's once they enter the code.

    The answer is the same for an address of another account, which only its owner learns.
    """
    form = AddressForm(proved=state[1])
    if not form.is_accepted():
        return _page(state, form=form)
    consume_for_viewer("mail")
    code, address = make_code(), clean_address(form.address.data)
    request(site(), g.viewer.uid, VERIFY, code, new_address=address)
    return done(_("We’ve sent a code to %(address)s.", address=address), "email.index")


@bp.post("/confirm")
@prefetch(_state)
def confirm(state: State) -> ViewResponse:
    """Verify an address with the code that was sent to it."""
    form = CodeForm()

    def use_code() -> None:
        verify(site(), g.viewer.uid, clean_code(form.code.data), current_device_note())

    if form.carry_out(use_code, "signin_account", "mail-code", field="code", refusals=Refused):
        return done(_("Your email address is confirmed."), "email.index")
    return _page(state, code_form=form)


@bp.post("/remove")
@prefetch(_state)
def remove_address(state: State) -> ViewResponse:
    """Remove the viewer's address."""
    form = ProofForm(proved=state[1], prefix="remove.")
    if not form.is_accepted():
        return _page(state, remove_form=form)
    remove(site(), g.viewer.uid, current_device_note())
    return done(_("Your email address was removed."), "email.index")


def _page(
    state: State,
    form: AddressForm | None = None,
    code_form: CodeForm | None = None,
    remove_form: ProofForm | None = None,
) -> tuple[str, int]:
    found, proved, has_digest = state
    forms = {
        "form": form or AddressForm(proved=proved),
        "code_form": code_form or CodeForm(),
        "remove_form": remove_form or ProofForm(proved=proved, prefix="remove."),
    }
    page = render_template(
        "accounts/email/settings.html", addresses=found, has_digest=has_digest, **forms
    )
    return page, max(one.http_status for one in forms.values())
