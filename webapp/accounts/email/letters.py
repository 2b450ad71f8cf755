"""What the mails about an account say, in the language of the request."""

from __future__ import annotations

from collections.abc import Sequence

from flask import render_template, url_for
from flask_babel import gettext as _

from webapp.core.web.context import config
from webapp.mail.queue import Letter
from webapp.server.data_dir import site_url


def verification(login: str, code: str) -> Letter:
    """Return the mail with the code that verifies an address."""
    return _letter(
        _("Your code is %(code)s", code=code),
        login,
        [
            _("Enter this code in your settings to confirm that this is your email address:"),
            _("It’s valid for 24 hours. If you didn’t ask for it, you can ignore this message."),
        ],
        code=code,
    )


def password_reset(token: str) -> Letter:
    """Return the mail with the link to choose a new password.

    The link has the address of the settings: a request may name any host.
    """
    return _letter(
        _("Choose a new password"),
        "",
        [
            _("Someone asked to reset the password of your account. Was it you? Open this link:"),
            _(
                "It’s valid for one hour and works once. If it wasn’t you, ignore this message: "
                "your password stays as it is."
            ),
        ],
        link=site_url(config()) + url_for("recovery.reset_password", token=token),
    )


def password_changed(login: str) -> Letter:
    """Return the notice that the password was changed."""
    return _letter(_("Your password was changed"), login, [_("Your password was just changed.")])


def address_changed(login: str) -> Letter:
    """Return the notice to an address that is no longer the account's."""
    sentence = _("This email address no longer belongs to your account.")
    return _letter(_("Your email address was changed"), login, [sentence])


def _letter(
    subject: str, login: str, sentences: Sequence[str], code: str = "", link: str = ""
) -> Letter:
    """Return a mail. What it tells, a code or a link, follows its first sentence.

    A notice has neither: it says what to do if the member did not do it.
    """
    if not (code or link):
        reset = site_url(config()) + url_for("recovery.forgot_password")
        sentences = [*sentences, _("Wasn’t it you? Choose a new password now: %(url)s", url=reset)]
    greeting = _("Hello @%(login)s,", login=login) if login else _("Hello,")
    html = render_template(
        "mail/message.html",
        subject=subject,
        greeting=greeting,
        sentences=sentences,
        code=code,
        link=link,
    )
    first, *others = sentences
    parts = (greeting, first, code or link, *others)
    return Letter(subject, "\n\n".join(part for part in parts if part) + "\n", html)
