"""/setup: makes the owner of a new site. With members, it leads to the front page."""

from functools import partial
from typing import Any

from flask import Blueprint, flash, redirect, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import RadioField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.accounts import owner
from webapp.accounts.factors.sign_in_completion import complete_sign_in
from webapp.accounts.forms import SignUpForm
from webapp.accounts.sessions.store import INITIAL_EPOCH
from webapp.config import BadSetting
from webapp.core.i18n.preferences import LANGUAGES, language
from webapp.core.net.proxies import client_network, is_from_this_machine
from webapp.core.settings import store
from webapp.core.settings.declared import as_text, parse_change
from webapp.core.web import config, db, live_settings, no_store, public, rate_limits, site
from webapp.core.web.redirects import ViewResponse
from webapp.pagecache.invalidation import invalidate

from .store import make_owner

SITE_FIELDS = ("site_name", "signup", "default_language", "contact_email", "rules")
SIGNUPS = [
    SelectChoice("open", _l("Everyone")),
    SelectChoice("approval", _l("People whom moderators accept")),
    SelectChoice("invite", _l("People with an invitation")),
    SelectChoice("closed", _l("Nobody")),
]


class SetupForm(SignUpForm):
    """The account of the owner, and what a site needs to know first. All of it can be changed.

    `needs_code`: ask for the code of owner.py.
    """

    code = StringField(
        _l("Setup code"),
        description=_l("linnet run has printed it; linnet setup prints it again."),
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )
    site_name = StringField(
        _l("Name of the site"),
        description=_l("Up to 40 characters."),
        render_kw={"autocomplete": "off", "maxlength": "40"},
    )
    signup = RadioField(_l("Who may sign up"), choices=SIGNUPS)
    default_language = RadioField(
        _l("Language for readers of other languages"),
        choices=[SelectChoice(one.code, one.name) for one in LANGUAGES.values()],
    )
    contact_email = StringField(
        _l("Contact address (optional)"),
        description=_l("Where people reach you. Everyone can see it."),
        render_kw={"autocomplete": "off"},
    )
    rules = TextAreaField(_l("Rules, one a line (optional)"), render_kw={"rows": "4"})

    def __init__(self, *args: Any, needs_code: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("invite", "next", "reason", *([] if needs_code else ["code"])):
            if name in self:
                del self[name]

    def validate_code(self, field: StringField) -> None:
        """Refuse any code but that of this site. Raises ValidationError."""
        if not owner.is_setup_code(config(), field.data or ""):
            raise ValidationError(_("That isn’t the code of this site."))

    def validate_site_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        _clean(field, _("A name has 1 to 40 characters, and no brackets, quotes or % signs."))

    def validate_contact_email(self, field: StringField) -> None:
        """Clean the address. Raises ValidationError."""
        _clean(field, _("Enter an email address, or the address of an https:// page."))

    def validate_rules(self, field: TextAreaField) -> None:
        """Clean the rules. Raises ValidationError."""
        _clean(field, _("Please write shorter rules."))


def _clean(field: StringField, sentence: str) -> None:
    try:
        field.data = parse_change(config(), field.short_name, field.data or "")
    except BadSetting:
        raise ValidationError(sentence) from None


bp = Blueprint("setup", __name__)
bp.after_request(no_store)


@bp.route("/setup", methods=["GET", "POST"])
@public
def index() -> ViewResponse:
    """Make the owner of a site without members, and set what they chose for it."""
    if not owner.is_fresh(db()):
        return redirect(url_for("timelines.index"), 303)
    current = {name: as_text(getattr(config(), name)) for name in SITE_FIELDS}
    offered = {**current, "default_language": language().code}
    needs_code = bool(config().site_url) or not is_from_this_machine()
    form = SetupForm(needs_code=needs_code, code=request.args.get("code", ""), **offered)
    if request.method == "POST":
        rate_limits.consume(db(), ("setup", client_network(), config().limit_signup))
    make = partial(make_owner, site())
    if not form.carry_out(lambda: make(form.login.data, form.name.data, form.password.data)):
        return form.render("admin/setup.html")
    member = form.outcome
    chosen = {name: form[name].data for name in SITE_FIELDS}
    values = {name: value for name, value in chosen.items() if value != current[name]}
    if values:
        store.change(db(), live_settings(), values, member.login, _("Setup"))
    invalidate(db(), ["/"], hard=True)  # it offered this page
    flash(_("This site is yours. Its settings are in your account menu, under Site status."))
    return complete_sign_in(member, INITIAL_EPOCH, url_for("onboarding.index"))
