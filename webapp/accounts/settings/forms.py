"""The forms of a member's settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, PasswordField, SelectField, StringField, TextAreaField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts import quote_policy
from webapp.accounts.forms import can_be_password, check_password, clean_display_name, password_hint
from webapp.core.forms.fields import Form, PictureField, normalize_line, normalize_text
from webapp.core.web.context import config


class ProfileForm(Form):
    """The viewer's profile, and its two pictures."""

    name = StringField(
        _l("Name"), [InputRequired(_l("Enter a name."))], render_kw={"autocomplete": "name"}
    )
    bio = TextAreaField(_l("About you"), render_kw={"rows": "4"})
    location = StringField(_l("Location"), render_kw={"autocomplete": "off"})
    website = StringField(
        _l("Website"),
        render_kw={"autocomplete": "url", "inputmode": "url", "placeholder": "https://"},
    )
    avatar = PictureField(_l("Profile picture"))
    remove_avatar = BooleanField(_l("Remove the picture"))
    header = PictureField(_l("Header image"))
    remove_header = BooleanField(_l("Remove the picture"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size = config().upload_max // 1_048_576
        self.bio.description = _(
            "At most %(num)d characters. Everyone can see it.", num=config().bio_max
        )
        formats = _("JPEG, PNG, WebP or GIF, at most %(size)d MB.", size=size)
        self.avatar.description = (
            f"{formats} {_('Only the picture is kept, not where or when it was taken.')}"
        )
        self.header.description = f"{formats} {_('Three times as wide as high looks best.')}"

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError if nothing is left."""
        clean_display_name(field)

    def validate_bio(self, field: TextAreaField) -> None:
        """Clean the text. Raises ValidationError if it is too long."""
        field.data = normalize_text(field.data, config().bio_max)

    def validate_location(self, field: StringField) -> None:
        """Clean the line. Raises ValidationError if it is too long."""
        field.data = normalize_line(field.data, config().location_max)

    def validate_website(self, field: StringField) -> None:
        """Complete the address. Raises ValidationError if it is not one of a website."""
        url = normalize_line(field.data, config().website_max)
        if url and "://" not in url:
            url = f"https://{url}"
        if url and not _is_website(url):
            raise ValidationError(
                _("That is not the address of a website. It begins with https:// or http://.")
            )
        field.data = url


class PasswordForm(Form):
    """A new password; it asks for the old one."""

    old = PasswordField(
        _l("Current password"),
        [InputRequired(_l("Enter your current password."))],
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
        """Raises ValidationError for a text that is not worth hashing."""
        _require_possible_password(field)

    def validate_new(self, field: PasswordField) -> None:
        """Raises ValidationError for a password that is short or common."""
        check_password(field)


class PrivacyForm(Form):
    """Who sees the viewer's posts, and who may quote posts to come."""

    protected = BooleanField(_l("Only followers I accept see my posts"))
    quoting = SelectField(
        _l("Who can quote your posts"),
        choices=quote_policy.choices(),
        description=_l(
            "Applies to new posts. You can choose differently for each post, and change "
            "it later on its page."
        ),
    )


class DeleteForm(Form):
    """Deleting the account; it asks for the password."""

    password = PasswordField(
        _l("Password"),
        [InputRequired(_l("Enter your password."))],
        render_kw={"autocomplete": "current-password"},
    )

    def validate_password(self, field: PasswordField) -> None:
        """Raises ValidationError for a text that is not worth hashing."""
        _require_possible_password(field)


def _is_website(url: str) -> bool:
    """Return True for a web address that does not hide where it leads."""
    try:
        parts = urlsplit(url)
        has_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    has_user = "@" in parts.netloc  # a name before the host can pass for the host
    has_odd_characters = not url.isprintable() or any(sign in url for sign in ' "<>\\^`{|}')
    is_web_host = parts.scheme in ("http", "https") and "." in (parts.hostname or "").strip(".")
    return is_web_host and has_valid_port and not has_user and not has_odd_characters


def _require_possible_password(field: PasswordField) -> None:
    if not can_be_password(field.data or ""):
        raise ValidationError(_("That’s not your password."))
