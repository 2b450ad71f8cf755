"""The forms that choose a language, a theme or link cards, or close the invitation to join.

They work for visitors too.
"""

from __future__ import annotations

from flask import Blueprint, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.errors import Forbidden, Invalid
from webapp.core.forms.csrf import csrf
from webapp.core.i18n.preferences import (
    JOIN_COOKIE,
    LANGUAGE_COOKIE,
    LANGUAGES,
    LINK_CARDS_COOKIE,
    THEME_COOKIE,
    THEMES,
)
from webapp.core.web.redirects import redirect_back
from webapp.core.web.view_options import public

bp = Blueprint("preferences", __name__)
YEAR_SECONDS = 31_536_000
SYSTEM_THEME = "system"


# Without a form token: it would give every visitor a cookie, and then no page could be cached.
@bp.post("/preferences")
@csrf.exempt  # type: ignore[untyped-decorator]
@public
def choose() -> Response:
    """Store the choices in cookies, and return to the page of the form."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("elsewhere", _("That request came from another site."))
    language, theme = request.form.get("language"), request.form.get("theme")
    link_cards = request.form.get("link_cards")
    if request.form.get("join") == "off":
        response = redirect_back(url_for("timelines.index"))
        _set_cookie(response, JOIN_COOKIE, "off")
        return response
    _validate(language, theme, link_cards)
    response = redirect_back(url_for("timelines.index"))
    if language is not None:
        _set_cookie(response, LANGUAGE_COOKIE, language)
    if theme == SYSTEM_THEME:
        _delete_cookie(response, THEME_COOKIE)
    elif theme is not None:
        _set_cookie(response, THEME_COOKIE, theme)
    if link_cards == "on":
        _delete_cookie(response, LINK_CARDS_COOKIE)
    elif link_cards is not None:
        _set_cookie(response, LINK_CARDS_COOKIE, link_cards)
    return response


def _validate(language: str | None, theme: str | None, link_cards: str | None) -> None:
    if language is None and theme is None and link_cards is None:
        raise Invalid("preference", _("Choose a language or a theme."))
    if language is not None and language not in LANGUAGES:
        raise Invalid("preference", _("That language isn’t available yet."))
    if theme is not None and theme not in (SYSTEM_THEME, *THEMES):
        raise Invalid("preference", _("This theme doesn’t exist."))
    if link_cards not in (None, "on", "off"):
        raise Invalid("preference", _("Choose to show or hide link cards."))


def _set_cookie(response: Response, name: str, value: str) -> None:
    response.set_cookie(
        name, value, max_age=YEAR_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure
    )


def _delete_cookie(response: Response, name: str) -> None:
    response.delete_cookie(name, samesite="Lax", httponly=True, secure=request.is_secure)
