"""The texts of mails, in the language of their readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babel.support import NullTranslations
from flask_babel import lazy_gettext as _l

from webapp.config import Config
from webapp.core.i18n.catalogs import preview, site_catalog
from webapp.core.rendering.static.site_icons import icon_path
from webapp.core.rendering.templating import plain_templates
from webapp.server.data_dir import site_url

TEMPLATE = "mail/message.html"
CODE, NOTICE, DIGEST = 0, 1, 2  # the classes of mails, the most urgent first
FORGOT_PATH, CONTACT_PATH = "/forgot-password", "/contact"
HELLO = _l("Hello @%(login)s,")
HIGHLIGHTS = ("code", "device", "what")  # the values that stand out
UNSUBSCRIBE = _l("Stop these messages")
WAS_IT_YOU = _l("If this wasn’t you, choose a new password now: %(forgot)s")


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as it is sent: the same text without and with markup.

    `unsubscribe`: the address that ends mails of its kind by one POST (RFC 8058), "" for none.
    """

    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    unsubscribe: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Kind:
    """The texts of mails of one kind. Sentences and `path` take the values of a mail.

    Below the first sentence stand one of HIGHLIGHTS or its posts, or the link of `path`.
    `unsubscribe`: the path that ends such mails.
    """

    urgency: int
    subject: object
    sentences: tuple[object, ...]
    path: str = ""
    unsubscribe: str = ""


KINDS = {
    "verify": Kind(
        CODE,
        _l("Your code is %(code)s"),
        (
            _l("Enter this code in your settings to confirm that this is your email address:"),
            _l("It’s valid for 24 hours. If you didn’t ask for it, you can ignore this message."),
        ),
    ),
    "login": Kind(
        CODE,
        _l("Your login code is %(code)s"),
        (
            _l("Enter this code to log in:"),
            _l("It’s valid for 5 minutes and works once. Don’t give it to anyone."),
            _l("If you didn’t ask for it, you can ignore this message."),
        ),
    ),
    "reset": Kind(
        CODE,
        _l("Choose a new password"),
        (
            _l("Someone asked to reset the password of your account. Was it you? Open this link:"),
            _l(
                "It’s valid for one hour and works once. If it wasn’t you, ignore this message: "
                "your password stays as it is."
            ),
        ),
        path="/reset-password?token=%(token)s",
    ),
    "password_changed": Kind(
        NOTICE,
        _l("Your password was changed"),
        (_l("Your password was just changed."), WAS_IT_YOU),
    ),
    "password_reset": Kind(
        NOTICE,
        _l("Your password was changed"),
        (
            _l("Your password was just changed. These passkeys still open your account:"),
            _l("Open this page to remove what you don’t know, or everything at once."),
            WAS_IT_YOU,
        ),
        path="/settings/security/access",
    ),
    "security_changed": Kind(
        NOTICE,
        _l("The security of your account was changed"),
        (_l("This was just done in your account:"), WAS_IT_YOU),
    ),
    "address_changed": Kind(
        NOTICE,
        _l("Your email address was changed"),
        (
            _l("This email address no longer belongs to your account."),
            # A link for a new password would go to the new address.
            _l(
                "If this wasn’t you, log in and change your password now, or contact the people "
                "who run this site: %(contact)s"
            ),
        ),
    ),
    "new_device": Kind(
        NOTICE,
        _l("New login to your account"),
        (_l("Someone logged in to your account on a device that we don’t know:"), WAS_IT_YOU),
    ),
    "new_country": Kind(
        NOTICE,
        _l("New login to your account from another country"),
        (
            _l("Someone logged in to your account from a country that you haven’t logged in from:"),
            WAS_IT_YOU,
        ),
    ),
    "code_used": Kind(
        NOTICE,
        _l("A used code was entered again"),
        (
            _l(
                "Someone entered your password, then a code of your authenticator app that had "
                "been used before. We didn’t let them in."
            ),
            WAS_IT_YOU,
        ),
    ),
    "accepted": Kind(
        NOTICE,
        _l("You’re in: your account was accepted"),
        (
            _l("The moderators accepted your account. You can log in now:"),
            _l(
                "We’ve deleted this address. If you didn’t ask for an account, ignore this message."
            ),
        ),
        path="/login",
    ),
    "digest": Kind(
        DIGEST,
        _l("Your week on Linnet"),
        (
            _l("These posts on your home were liked most this week:"),
            _l("You get this message because you asked for it in your settings."),
        ),
        unsubscribe="/unsubscribe?token=%(token)s",
    ),
}


def compose(
    config: Config, kind: str, values: Mapping[str, Any], login: str, locale: str
) -> Letter:
    """Return a mail of a kind to a member.

    Links have the address of the settings: a request may name any host.
    """
    what, catalog, base = KINDS[kind], site_catalog(locale, config.site_name), site_url(config)
    filled = {
        **values,
        "login": login,
        "forgot": base + FORGOT_PATH,
        "contact": base + CONTACT_PATH,
    }

    def say(sentence: object) -> str:
        return str(catalog.ugettext(str(sentence))) % filled

    icon = icon_path(config, 48)
    shown: dict[str, Any] = {
        "icon": base + icon if icon else "",
        "greeting": say(HELLO),
        "sentences": [say(sentence) for sentence in what.sentences],
        "highlight": "".join(values.get(name, "") for name in HIGHLIGHTS),
        "link": base + what.path % filled if what.path else "",
        "posts": [_post(catalog, base, **post) for post in values.get("posts", ())],
        "unsubscribe": base + what.unsubscribe % filled if what.unsubscribe else "",
        "unsubscribe_words": say(UNSUBSCRIBE),
    }
    subject, tag = say(what.subject), locale.replace("_", "-")
    html = plain_templates().get_template(TEMPLATE).render(subject=subject, tag=tag, **shown)
    return Letter(subject, _plain_text(shown), html, shown["unsubscribe"])


def _post(
    catalog: NullTranslations,
    base: str,
    *,
    path: str,
    text: str,
    is_warning: bool = False,
    pictures: int = 0,
    **names: str,
) -> dict[str, str]:
    """Return what a mail shows of a post. The two values with defaults are new in this version."""
    words = preview(catalog, "" if is_warning else text, text if is_warning else "", pictures)
    return {**names, "text": words, "url": base + path}


def _plain_text(shown: Mapping[str, Any]) -> str:
    """Return the text of a mail's page, without markup."""
    first, *others = shown["sentences"]
    posts = [
        f"{post['name']} (@{post['login']})\n{post['text']}\n{post['url']}"
        for post in shown["posts"]
    ]
    parts = [shown["greeting"], first, shown["highlight"], shown["link"], *posts, *others]
    if shown["unsubscribe"]:
        parts.append(f"{shown['unsubscribe_words']}: {shown['unsubscribe']}")
    return "\n\n".join(part for part in parts if part) + "\n"
