"""The pages about the site, and the list of its optional systems."""

import re

from flask import Blueprint, render_template
from markupsafe import Markup

from webapp.core.i18n import preferences
from webapp.core.rendering.feature_pages import is_on, menu
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.web import Response, config
from webapp.pagecache.decorators import cached, depends_on_members

from . import documents

bp = Blueprint("about", __name__)
LINK = re.compile(r'<a href="(/[^"/][^"]*)">(.*?)</a>')


@bp.get("/about", defaults={"name": "about"}, endpoint="about")
@bp.get("/terms", defaults={"name": "terms"}, endpoint="terms")
@bp.get("/privacy", defaults={"name": "privacy"}, endpoint="privacy")
@bp.get("/contact", defaults={"name": "contact"}, endpoint="contact")
@cached()
def show(name: str) -> str:
    """Show a document in the reader's language."""
    depends_on_members([])
    settings = config()
    return render_template(
        "about/document.html",
        document=_linked(documents.load(settings, name, preferences.language().code)),
        rules=settings.rule_list if name in ("about", "terms") else (),
        email=settings.contact_email if name == "contact" else "",
    )


def _linked(document: documents.AboutPage) -> documents.AboutPage:
    """Return a document without links to what is switched off."""
    body = LINK.sub(lambda link: link[0] if is_on(link[1]) else link[2], document.body)
    return document._replace(body=Markup(body))


@bp.get("/shortcuts")
@cached()
def shortcuts() -> str:
    """Show the keyboard shortcuts."""
    depends_on_members([])
    return render_template("about/shortcuts.html")


@bp.get("/more")
def more() -> Response:
    """List the optional systems, and offer to hide them from the navigation."""
    return render_kept("about/more.html", menu=menu(), hidden=preferences.more_menu())
