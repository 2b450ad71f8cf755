"""The page on which a member changes their username."""

from datetime import datetime

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response
from wtforms import StringField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.forms import LOGIN_INPUT, clean_login
from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Conflict
from webapp.core.store import Read, gather
from webapp.core.web import Requester, config, consume_for_viewer, no_store, prefetch, site

from .store import next_rename_at, rename

bp = Blueprint("username", __name__, url_prefix="/settings/username")
bp.after_request(no_store)
Found = tuple[datetime | None, bool]


class UsernameForm(ProofForm):
    """A new username."""

    login = StringField(
        _l("New username"),
        [InputRequired(_l("Choose a username.")), clean_login],
        description=_l("1 to 15 letters, digits or _. It’s part of your profile’s address."),
        render_kw=LOGIN_INPUT,
    )

    def validate_login(self, field: StringField) -> None:
        """Raises ValidationError for the name that the member has."""
        if field.data.lower() == g.viewer.login.lower():
            raise ValidationError(_("That’s your username already."))


def _found(requester: Requester) -> Read[Found]:
    return gather(next_rename_at(requester.uid or 0), recent_proof(requester))


@bp.get("")
@prefetch(_found)
def index(found: Found) -> str:
    """Offer the form, or say when the viewer may change their username again."""
    return _render(UsernameForm(proved=found[1]), found[0])


@bp.post("")
@prefetch(_found)
def change(found: Found) -> str | Response | tuple[str, int]:
    """Change the viewer's username."""
    form = UsernameForm(proved=found[1])
    if not (form.validate_on_submit() and form.prove()):
        return _render(form, found[0]), 422
    consume_for_viewer("edit")
    try:
        rename(site(), g.viewer.uid, form.login.data, current_device_note())
    except Conflict as refusal:
        return _render(form.refuse(refusal, "login"), found[0]), refusal.status
    flash(_("You’re now @%(login)s.", login=form.login.data))
    return redirect(url_for("timelines.profile", login=form.login.data), 303)


def _render(form: UsernameForm, waits_until: datetime | None) -> str:
    return render_template(
        "accounts/settings/username.html",
        form=form,
        waits_until=waits_until,
        name_kept_days=config().name_kept_days,
    )
