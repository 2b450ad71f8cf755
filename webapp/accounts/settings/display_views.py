"""The forms that choose a language, a theme or link cards, or close a bar above pages.

They work for visitors too.
"""

import re
from collections.abc import Mapping

from flask import Blueprint, request, url_for
from flask_babel import gettext as _

from webapp.core.errors import Forbidden, Invalid
from webapp.core.forms.csrf import csrf
from webapp.core.i18n.preferences import ANNOUNCEMENT_COOKIE, JOIN_COOKIE, LINK_CARDS_COOKIE
from webapp.core.web import Response, public, redirect_back

from .display import VALUES, delete_cookie, remember_display, set_cookie, set_display_cookies

bp = Blueprint("preferences", __name__)
ANNOUNCEMENT_PATTERN = re.compile(r"[0-9a-f]{8}\Z")


# Without a form token: it would give every visitor a cookie, and then no page could be cached.
@bp.post("/preferences")
@csrf.exempt
@public
def choose() -> Response:
    """Store the choices in cookies, and return to the page of the form.

    A member's language and theme are stored with the account too.
    """
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("elsewhere", _("That request came from another site."))
    values = {name: request.form.get(name) for name in VALUES}
    link_cards = request.form.get("link_cards")
    if request.form.get("join") == "off":
        response = redirect_back(url_for("timelines.index"))
        set_cookie(response, JOIN_COOKIE, "off")
        return response
    if closed := request.form.get("announcement"):
        response = redirect_back(url_for("timelines.index"))
        if ANNOUNCEMENT_PATTERN.match(closed):
            set_cookie(response, ANNOUNCEMENT_COOKIE, closed)
        return response
    _validate(values, link_cards)
    response = redirect_back(url_for("timelines.index"))
    chosen = {name: value for name, value in values.items() if value is not None}
    set_display_cookies(response, chosen)
    remember_display(chosen)
    if link_cards == "on":
        delete_cookie(response, LINK_CARDS_COOKIE)
    elif link_cards is not None:
        set_cookie(response, LINK_CARDS_COOKIE, link_cards)
    return response


def _validate(values: Mapping[str, str | None], link_cards: str | None) -> None:
    sentences = {
        "language": _("That language isn’t available yet."),
        "theme": _("This theme doesn’t exist."),
        "counts": _("Choose to show or hide numbers below posts."),
        "more_menu": _("Choose to show or hide “More”."),
    }
    if not any(value is not None for value in (*values.values(), link_cards)):
        raise Invalid("preference", _("Choose a language or a theme."))
    for name, value in values.items():
        if value not in (None, *VALUES[name]):
            raise Invalid("preference", sentences[name])
    if link_cards not in (None, "on", "off"):
        raise Invalid("preference", _("Choose to show or hide link cards."))
