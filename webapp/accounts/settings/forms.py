"""The forms of a member's settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, PasswordField, SelectField, StringField, TextAreaField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts import quote_policy
from webapp.accounts.forms import can_be_password, check_name, check_password, password_hint
from webapp.core.forms.fields import Form, PictureField, normalize_line, normalize_text
from webapp.core.web.context import config

TOKEN_NAME_MAX = 50  # characters


class ProfileForm(Form):
    """What a member says of themselves, and their two pictures."""

    name = StringField(
        _l("Name"), [InputRequired(_l("Say what to call you."))], render_kw={"autocomplete": "name"}
    )
    bio = TextAreaField(_l("About you"), render_kw={"rows": "4"})
    location = StringField(_l("Location"), render_kw={"autocomplete": "off"})
    website = StringField(
        _l("Website"),
        render_kw={"autocomplete": "url", "inputmode": "url", "placeholder": "https://"},
    )
    avatar = PictureField(_l("Picture of you"))
    remove_avatar = BooleanField(_l("Remove the picture"))
    header = PictureField(_l("Picture above your profile"))
    remove_header = BooleanField(_l("Remove the picture"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size = config().upload_max // 1_048_576
        self.bio.description = _(
            "At most %(num)d characters. Everybody can read it.", num=config().bio_max
        )
        formats = _("JPEG, PNG, WebP or GIF, at most %(size)d MB.", size=size)
        self.avatar.description = (
            f"{formats} {_('Only the picture is kept, not where or when it was taken.')}"
        )
        self.header.description = f"{formats} {_('Three times as wide as high looks best.')}"

    def validate_name(self, field: StringField) -> None:
        """One line that shows something."""
        check_name(field)

    def validate_bio(self, field: TextAreaField) -> None:
        """A few lines, or none."""
        field.data = normalize_text(field.data, config().bio_max)

    def validate_location(self, field: StringField) -> None:
        """One line, or none."""
        field.data = normalize_line(field.data, config().location_max)

    def validate_website(self, field: StringField) -> None:
        """The address of a page, or none."""
        url = normalize_line(field.data, config().website_max)
        if url and "://" not in url:
            url = f"https://{url}"
        if url and not _is_website(url):
            raise ValidationError(
                _("That is no address of a website. It begins with https:// or http://.")
            )
        field.data = url


class PasswordForm(Form):
    """A new password, for who knows the old one."""

    old = PasswordField(
        _l("Present password"),
        [InputRequired(_l("Enter your present password."))],
        render_kw={"autocomplete": "current-password"},
    )
    new = PasswordField(
        _l("New password"),
        [InputRequired(_l("Choose a password."))],
        render_kw={"autocomplete": "new-password"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.new.description = password_hint()

    def validate_old(self, field: PasswordField) -> None:
        """Nothing that could not be a password is hashed."""
        _require_possible_password(field)

    def validate_new(self, field: PasswordField) -> None:
        """Long enough, and not one that is tried first."""
        check_password(field)


class PrivacyForm(Form):
    """Who sees what a member posts, and who may quote what they will post."""

    protected = BooleanField(_l("Only followers I accept see my posts"))
    quoting = SelectField(
        _l("Who may quote your posts"),
        choices=quote_policy.choices(),
        description=_l(
            "For posts to come. You can say otherwise with each of them, and change it on their own pages."
        ),
    )


class TokenForm(Form):
    """A name for a new access token."""

    name = StringField(
        _l("Name of the token"),
        [InputRequired(_l("Say what the token is for."))],
        render_kw={"autocomplete": "off"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name.description = _("What it is for, so that you know it again.")

    def validate_name(self, field: StringField) -> None:
        """One line that shows something."""
        field.data = normalize_line(field.data, TOKEN_NAME_MAX)
        if not field.data:
            raise ValidationError(_("Say what the token is for."))


class AppForm(Form):
    """A name for a new app."""

    name = StringField(
        _l("Name of the app"),
        [InputRequired(_l("Say what you call the app."))],
        id="app-name",  # it is on the page of the form for tokens
        description=_l("What you call it, so that you know it again."),
        render_kw={"autocomplete": "off"},
    )

    def validate_name(self, field: StringField) -> None:
        """One line that shows something."""
        field.data = normalize_line(field.data, TOKEN_NAME_MAX)
        if not field.data:
            raise ValidationError(_("Say what you call the app."))


class DeleteForm(Form):
    """The end of an account, for who knows its password."""

    password = PasswordField(
        _l("Password"),
        [InputRequired(_l("Enter your password."))],
        render_kw={"autocomplete": "current-password"},
    )

    def validate_password(self, field: PasswordField) -> None:
        """Nothing that could not be a password is hashed."""
        _require_possible_password(field)


def _is_website(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    host = parts.hostname or ""
    # Nothing that hides where it leads: no name before the host, no characters that do not show or turn the line.
    is_unambiguous = (
        "@" not in parts.netloc
        and url.isprintable()
        and not any(sign in url for sign in ' "<>\\^`{|}')
    )
    return (
        parts.scheme in ("http", "https")
        and "." in host.strip(".")
        and is_unambiguous
        and has_valid_port
    )


def _require_possible_password(field: PasswordField) -> None:
    if not can_be_password(field.data or ""):
        raise ValidationError(_("That is not your password."))
