"""The forms of the settings: the profile with its pictures, privacy, password and deletion."""

from typing import Any
from urllib.parse import urlsplit

from flask import g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import BooleanField, PasswordField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.accounts.forms import DISPLAY_NAME
from webapp.accounts.passwords.rules import new_password_field, old_password_field
from webapp.accounts.settings.quote_policy import choices as quote_policies
from webapp.core.forms.fields import Form, cleaned, normalize_line, normalize_text
from webapp.core.forms.picture_field import PictureField
from webapp.core.media import removal, storage as media
from webapp.core.media.decoding import BadPicture
from webapp.core.web import config

PICTURES = ("avatar", "header")
REFUSAL = _l("That’s not your password.")


class ProfileForm(Form):
    """The viewer's profile, and its two pictures."""

    name = StringField(_l("Display name"), DISPLAY_NAME, render_kw={"autocomplete": "name"})
    bio = TextAreaField(_l("Bio"), [cleaned(normalize_text, "bio_max")], render_kw={"rows": "4"})
    location = StringField(
        _l("Location"),
        [cleaned(normalize_line, "location_max")],
        render_kw={"autocomplete": "off"},
    )
    website = StringField(
        _l("Website"),
        render_kw={"autocomplete": "url", "inputmode": "url", "placeholder": "https://"},
    )
    avatar = PictureField(_l("Profile picture"))
    remove_avatar = BooleanField(_l("Remove picture"))
    header = PictureField(_l("Header image"))
    remove_header = BooleanField(_l("Remove picture"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size = config().upload_max // 1_048_576
        self.bio.description = _(
            "Up to %(num)d characters. Everyone can see it.", num=config().bio_max
        )
        self.avatar.description = _(
            "JPEG, PNG, WebP or GIF, up to %(size)d MB. "
            "The time and place it was taken are removed.",
            size=size,
        )
        self.header.description = _(
            "JPEG, PNG, WebP or GIF, up to %(size)d MB. "
            "Pictures three times as wide as they are high look best.",
            size=size,
        )

    def validate_website(self, field: StringField) -> None:
        """Complete the address. Raises ValidationError if it is not one of a website."""
        field.data = clean_website(normalize_line(field.data, config().website_max))


class PrivacyForm(Form):
    """Sets who sees the viewer's posts and likes, may quote new posts, writes to and finds them."""

    protected = BooleanField(_l("Only followers I accept can see my posts"))
    quote_policy = SelectField(
        _l("Who can quote your posts"),
        choices=quote_policies(),
        description=_l(
            "Used for new posts until you choose something else. "
            "You can change it later in the post’s menu."
        ),
    )
    chats_from = SelectField(
        _l("Who can start a chat with you"),
        choices=[
            SelectChoice("", _l("Everyone")),
            SelectChoice("followed", _l("People I follow")),
            SelectChoice("nobody", _l("Nobody")),
        ],
        description=_l(
            "People you don’t follow wait in your requests until you accept. "
            "Chats you already have go on."
        ),
    )
    likes_hidden = BooleanField(_l("Hide the posts I like from my profile"))
    hidden_from_search = BooleanField(
        _l("Hide me from search and suggestions"),
        description=_l(
            "You and your posts won’t show up in search or suggestions, or when people type @. "
            "Anyone who knows your username can still open your profile."
        ),
    )


def clean_website(url: str) -> str:
    """Return a whole address; "" for none. Raises ValidationError if it is not one of a website."""
    if url and "://" not in url:
        url = f"https://{url}"
    if url and not _is_website(url):
        raise ValidationError(
            _("That isn’t a website address. It should start with https:// or http://.")
        )
    return url


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


def save_pictures(form: ProfileForm) -> dict[str, str]:
    """Store the uploaded pictures and return their names by kind; "" for a removed one.

    A fault of a picture becomes an error of its field, and the other one is not kept either.
    """
    changes = {}
    for kind in PICTURES:
        picture = form[kind].data
        if picture:
            try:
                changes[kind] = media.save(
                    config(), g.viewer.uid, kind, picture.stream, form[kind].crop
                )
            except BadPicture as refusal:
                form.refuse(refusal, kind)
        elif form[f"remove_{kind}"].data:
            changes[kind] = ""
    if any(form[kind].errors for kind in PICTURES):
        removal.remove_unused(config(), changes.values())
    return changes


class PasswordForm(Form):
    """A new password; it asks for the old one."""

    old = old_password_field(_l("Current password"), _l("Enter your current password."), REFUSAL)
    new = new_password_field(_l("New password"), lambda _form: (g.viewer.login, g.viewer.name))
    revoke = BooleanField(
        _l("Also revoke my access tokens, apps, bot tokens and private feed"),
        default=True,
        description=_l("Programs that use them stop working until you give them new ones."),
    )

    def validate_new(self, field: PasswordField) -> None:
        """Refuse the present password, which may have to be replaced. Raises ValidationError."""
        if field.data == self.old.data:
            raise ValidationError(_("That’s your password already. Please choose another one."))


class DeleteForm(Form):
    """Deleting the account; it asks for the password."""

    password = old_password_field(_l("Password"), _l("Enter your password."), REFUSAL)
