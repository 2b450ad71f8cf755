"""The site map (sitemaps.org), in parts, for search engines. `/robots.txt` names it."""

from collections.abc import Iterable
from datetime import datetime

from flask import Blueprint, Response, render_template, url_for

from webapp.core.errors import NotFound
from webapp.core.web import anonymous, config, db
from webapp.pagecache.decorators import cached, depends_on_members

from . import sitemaps

bp = Blueprint("sitemaps", __name__)
PAGES = (
    *("timelines.index", "timelines.public", "streams.about"),
    *("about.about", "about.terms", "about.privacy", "about.contact"),
)
Address = tuple[str, datetime | None]  # of a page, and when it changed


@bp.get("/sitemap.xml")
@anonymous
@cached()
def index() -> Response:
    """List the parts."""
    depends_on_members([])
    parts = [
        url_for("sitemaps.posts", number=number + 1, _external=True)
        for number in range(db().read(sitemaps.part_count(config())))
    ]
    parts += [url_for(f"sitemaps.{part}", _external=True) for part in ("members", "pages")]
    return _xml("sitemapindex", "sitemap", ((part, None) for part in parts))


@bp.get("/sitemap-posts-<id:number>.xml")
@anonymous
@cached()
def posts(number: int) -> Response:
    """List a part of the newest public posts."""
    if (number - 1) * sitemaps.PART_SIZE >= config().public_max:
        raise NotFound("no_status")
    listed = sitemaps.posts(db(), number)
    depends_on_members(post.author.uid for post in listed)
    return _xml("urlset", "url", map(_post_address, listed))


@bp.get("/sitemap-members.xml")
@anonymous
@cached()
def members() -> Response:
    """List the profiles of those who wrote the newest public posts."""
    listed = sitemaps.authors(db())
    depends_on_members(member.uid for member in listed)
    return _xml(
        "urlset",
        "url",
        ((url_for("timelines.profile", login=one.login, _external=True), None) for one in listed),
    )


@bp.get("/sitemap-pages.xml")
@anonymous
@cached()
def pages() -> Response:
    """List the pages that are no member's."""
    depends_on_members([])
    return _xml("urlset", "url", ((url_for(page, _external=True), None) for page in PAGES))


def _post_address(post: sitemaps.ListedPost) -> Address:
    login = post.author.login
    address = url_for("statuses.show", login=login, status_id=post.id, _external=True)
    return address, post.changed_at


def _xml(root: str, entry: str, addresses: Iterable[Address]) -> Response:
    xml = render_template("sharing/sitemap.xml", root=root, entry=entry, addresses=addresses)
    return Response(xml, content_type="application/xml; charset=utf-8")
