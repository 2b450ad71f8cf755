"""The pages about the site."""

from __future__ import annotations

from flask import Blueprint, render_template

from webapp.core.i18n import preferences
from webapp.core.web.context import config
from webapp.core.web.view_options import public
from webapp.pagecache.decorators import cached, depends_on_members

from . import documents

bp = Blueprint("about", __name__)


@bp.get("/about", defaults={"name": "about"}, endpoint="about")
@bp.get("/terms", defaults={"name": "terms"}, endpoint="terms")
@bp.get("/privacy", defaults={"name": "privacy"}, endpoint="privacy")
@bp.get("/contact", defaults={"name": "contact"}, endpoint="contact")
@public
@cached()
def show(name: str) -> str:
    """Show a document in the reader's language."""
    depends_on_members([])
    document = documents.load(config().data_dir, name, preferences.language().code)
    return render_template("about/document.html", document=document)


@bp.get("/shortcuts")
@public
@cached()
def shortcuts() -> str:
    """Show the keyboard shortcuts."""
    depends_on_members([])
    return render_template("about/shortcuts.html")
