"""The page on which a member changes their username."""

from datetime import datetime
from functools import partial

from flask import Blueprint, g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.forms import LOGIN_INPUT, clean_login
from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, config, done, no_store, prefetch, site

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
        """Refuse the name that the member has. Raises ValidationError."""
        if field.data.lower() == g.viewer.login.lower():
            raise ValidationError(_("That’s your username already."))


def _found(requester: Requester) -> Read[Found]:
    return gather(next_rename_at(requester.uid or 0), recent_proof(requester))


@bp.route("", methods=["GET", "POST"])
@prefetch(_found)
def index(found: Found) -> Response | tuple[str, int]:
    """Change the viewer's username, or say when they may do it again."""
    form = UsernameForm(proved=found[1])
    change = partial(rename, site(), g.viewer.uid)
    if form.carry_out(
        lambda: change(form.login.data, current_device_note()), "edit", field="login"
    ):
        said = _("You’re now @%(login)s.", login=form.login.data)
        return done(said, "timelines.profile", login=form.login.data)
    return form.render(
        "accounts/settings/username.html",
        waits_until=found[0],
        name_kept_days=config().name_kept_days,
    )
