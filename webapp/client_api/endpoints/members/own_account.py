"""The caller's own account: signing up, and changing the profile."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from flask import g, request
from wtforms.validators import ValidationError

from webapp.accounts import lifecycle, profile, registration
from webapp.accounts.email.addresses import application, clean_address
from webapp.accounts.forms import REASON_MAX, clean_login
from webapp.accounts.passwords.rules import check_password
from webapp.accounts.settings import choices
from webapp.accounts.settings.forms import clean_website
from webapp.accounts.viewer import count_signup
from webapp.client_api.callers import calling_app
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.endpoints.posts.posting import quote_policy
from webapp.client_api.entities.account import CredentialAccount
from webapp.client_api.http import InvalidForm, Parameters, cleaned, converted, invalid, rows
from webapp.client_api.oauth import codes
from webapp.client_api.posting_defaults import VISIBILITIES, PostingDefaults, posting_defaults
from webapp.core.errors import Conflict, Forbidden
from webapp.core.forms.fields import normalize_line, normalize_name, normalize_text
from webapp.core.i18n.language_detection import clean_tag
from webapp.core.media import removal, storage
from webapp.core.media.decoding import BadPicture
from webapp.core.net.proxies import client_network
from webapp.core.web import config, db, rate_limits, site

from .accounts import own_account

bp = ApiBlueprint("own_account")
BLANK = ("ERR_BLANK", "can't be blank")
INVALID = ("ERR_INVALID", "is invalid")
LIMITS = {"location": "location_max", "website": "website_max"}


class ProfileParameters(Parameters):
    """Changes of a profile. `fields_attributes`: all lines, by name: Website and Location.

    `source`: the defaults of posts that apps send.
    """

    display_name: str | None = None
    note: str | None = None
    locked: bool | None = None
    discoverable: bool | None = None
    bot: bool | None = None
    fields_attributes: Any = None
    source: dict[str, Any] | None = None


class SourceParameters(Parameters):
    """The defaults of posts that apps send."""

    privacy: str = ""
    quote_policy: str = ""
    sensitive: bool | None = None
    language: str | None = None


@bp.declare("POST /api/v1/accounts", "write:accounts", public=True)
def sign_up(
    username: str = "",
    email: str = "",
    password: str = "",
    agreement: bool = False,
    reason: str = "",
) -> codes.Token:
    """Create an account for the app that calls. Return a token of its member.

    With SIGNUP=approval moderators read `reason`, and the token opens nothing until they accept the
    member, for which they are written to at `email`. It is required, as clients expect, but is
    stored only then.
    """
    app, by_approval = calling_app(), config().signup == "approval"
    if config().signup not in ("open", "approval"):
        raise Forbidden("closed")
    login = _checked_login(username, email, password, agreement)
    why = cleaned("Reason", normalize_text, reason, REASON_MAX)
    if by_approval and not why:
        raise InvalidForm(("reason", *BLANK))
    if by_approval and config().has_mail and not clean_address(email):
        raise InvalidForm(("email", *INVALID))
    rate_limits.consume(db(), ("signup", client_network(), config().limit_signup))
    applied = application(why, email if config().has_mail else "") if by_approval else None
    try:
        member = registration.sign_up(site(), login, login, password, application=applied)
    except Conflict as refusal:
        if refusal.code != "taken":
            raise
        raise InvalidForm(("username", "ERR_TAKEN", str(refusal.sentence))) from None
    count_signup()
    return codes.issue(site(), member.uid, app, app.scopes)


def _checked_login(username: str, email: str, password: str, agreement: bool) -> str:
    """Return the login of a new account. Raises InvalidForm, which names all that is wrong."""
    login, secret = SimpleNamespace(data=username), SimpleNamespace(data=password)
    problems = [] if agreement else [("agreement", "ERR_ACCEPTED", "must be accepted")]
    if not email:
        problems.append(("email", *BLANK))
    if "@" not in email:
        problems.append(("email", *INVALID))
    problems += _wrong("username", login, clean_login, None, login)
    problems += _wrong("password", secret, check_password, secret, login.data, login.data)
    if problems:
        raise InvalidForm(*problems)
    return str(login.data)


def _wrong(
    name: str, field: SimpleNamespace, check: Callable[..., None], *given: Any
) -> list[tuple[str, str, str]]:
    """Return the problems that a check finds with a field, for InvalidForm."""
    try:
        check(*given)
    except ValidationError as error:
        return [(name, "ERR_INVALID", str(error)) if field.data else (name, *BLANK)]
    return []


@bp.declare(
    "PATCH /api/v1/accounts/update_credentials",
    "write:accounts",
    limit="edit",
    uploads=len(storage.PICTURE_SIZES),
)
def change(params: ProfileParameters) -> CredentialAccount:
    """Change the caller's profile."""
    if params.bot not in (None, bool(g.viewer.bot_owner)):
        raise invalid("Bot accounts are made on the pages of the site")
    changes = _text_changes(params)
    profile.check(config(), changes)
    if params.discoverable is not None:
        changes["hidden_from_search"] = "" if params.discoverable else "1"
    chosen = _chosen(params.source) if params.source else None
    changes |= _pictures()  # the last to be refused: what is stored is in use
    if changes:
        profile.edit(site(), g.viewer.uid, changes)
    if chosen:  # what pages choose meanwhile stays
        choices.remember(db(), g.viewer.uid, **chosen)
    if params.locked is not None:
        lifecycle.protect(site(), g.viewer.uid, params.locked)
    return own_account()


@bp.declare("DELETE /api/v1/profile/avatar", "write:accounts", limit="edit")
def remove_avatar() -> CredentialAccount:
    """Remove the caller's picture."""
    profile.edit(site(), g.viewer.uid, {"avatar": ""})
    return own_account()


@bp.declare("DELETE /api/v1/profile/header", "write:accounts", limit="edit")
def remove_header() -> CredentialAccount:
    """Remove the caller's header."""
    profile.edit(site(), g.viewer.uid, {"header": ""})
    return own_account()


def _text_changes(params: ProfileParameters) -> dict[str, str]:
    changes = {}
    if params.display_name is not None:  # none: the login stands for it
        name = params.display_name.strip() or g.viewer.login
        most, blank = config().name_max, "can't be blank"
        changes["name"] = cleaned("Display name", normalize_name, name, most, blank)
    if params.note is not None:
        changes["bio"] = cleaned("Note", normalize_text, params.note, config().bio_max)
    for name, value in _fields(params.fields_attributes).items():
        shown = name.capitalize()
        line = cleaned(shown, normalize_line, value, getattr(config(), LIMITS[name]))
        changes[name] = cleaned(shown, clean_website, line) if name == "website" else line
    return changes


def _chosen(sent: Mapping[str, Any]) -> dict[str, str]:
    """Return the stored defaults of posts with those of the request. Raises Invalid."""
    before, given = posting_defaults(g.viewer), converted(SourceParameters, sent)
    if given.privacy not in ("", *VISIBILITIES):
        raise invalid("Privacy is not included in the list")
    defaults = PostingDefaults(
        VISIBILITIES.get(given.privacy, before.visibility),
        before.sensitive if given.sensitive is None else given.sensitive,
        before.language if given.language is None else clean_tag(given.language),
    )
    return {
        "app_defaults": defaults.stored,
        "quote_policy": quote_policy(given.quote_policy).value,
    }


def _fields(sent: Any) -> dict[str, str]:
    """Return the lines of a table; those left out are "". Raises Invalid for unknown ones."""
    if not isinstance(sent, list | dict):
        return {}
    found = ((str(row.get("name", "")).strip(), str(row.get("value", ""))) for row in rows(sent))
    named = {name.lower(): value for name, value in found if value.strip()}
    if not named.keys() <= LIMITS.keys():
        raise invalid("Fields of a profile are Website and Location")
    return {name: named.get(name, "") for name in LIMITS}


def _pictures() -> dict[str, str]:
    """Store the pictures that were sent, both or none. Return their names by kind."""
    found: dict[str, str] = {}
    for kind in storage.PICTURE_SIZES:
        if file := request.files.get(kind):
            try:
                found[kind] = storage.save(config(), g.viewer.uid, kind, file.stream)
            except BadPicture as error:
                removal.remove_unused(config(), found.values())
                raise invalid(f"{kind.capitalize()} {error.sentence}") from None
    return found
