"""Posts on other sites: pictures of links, frames, and how to ask for them."""

from flask import Blueprint, Response, abort, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.errors import Forbidden, NotFound
from webapp.core.media.responses import PICTURE_CSP
from webapp.core.web import anonymous, config, consume_for_requester, db, vary
from webapp.core.web.security import embeddable
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import Status, ViewerState, store as statuses, uids_on_page
from webapp.statuses.hydration import complete
from webapp.statuses.permalinks import canonical_redirect, require_author

from . import oembed, pictures, structured_data

bp = Blueprint("sharing", __name__)
bp.add_app_template_filter(structured_data.post_data)
bp.add_app_template_filter(structured_data.profile_data)
CARD_SECONDS = 3_600  # that browsers may show a picture after its post was deleted


@bp.get("/@<login>/<id:status_id>/card.png")
@anonymous
def card(login: str, status_id: int) -> AnyResponse:
    """Send the picture that other sites show of a link to a post."""
    status, _ = _open(status_id)
    if response := canonical_redirect(status.author, login):
        return response
    drawn = NotFound.unless(pictures.card_of(config(), status), "no_picture")
    content = pictures.cached_picture(config(), drawn)
    if content is None:
        consume_for_requester("card")
        content = pictures.draw_and_store(config(), drawn)
    return _picture(content, pictures.digest_of(drawn))


@bp.get("/@<login>/<id:status_id>/embed")
@anonymous
@cached()
def embed(login: str, status_id: int) -> AnyResponse:
    """Show a post in a frame on another site. A sentence replaces one that is gone."""
    try:
        status, state = _open(status_id)
        if response := canonical_redirect(status.author, login):
            return response
    except NotFound:
        return embeddable(render_template("sharing/gone.html"), 404)
    depends_on_members(uids_on_page([status]))
    state = db().read(complete(None, [status], state))
    return embeddable(render_template("sharing/embed.html", status=status, viewer_state=state))


@bp.get("/oembed")
@anonymous
def answer_oembed() -> Response:
    """Tell another site how to show the post at `url`, as JSON."""
    login, status_id = oembed.status_at(config(), request.args.get("url", ""))
    if request.args.get("format", "json") != "json":
        abort(501)  # as the specification says
    sizes = oembed.size_limit("maxwidth"), oembed.size_limit("maxheight")
    status, _ = _open(status_id)
    if status.visibility.restricted:
        raise NotFound("no_status")
    require_author(status.author, login)
    response = jsonify(oembed.answer(status, *sizes))
    vary(response, "Accept-Language")
    response.headers["Access-Control-Allow-Origin"] = "*"  # it has nothing of who asks
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@bp.app_template_filter()
def embed_code(status: Status) -> str:
    """Return the HTML that shows a status on another site, "" if visitors may not read it."""
    if status.visibility.restricted or status.author.protected:
        return ""
    return oembed.code(status)


@bp.app_template_filter()
def card_path(status: Status) -> str:
    """Return the path of a status's drawn picture, "" if it has none.

    The path changes with the picture's content.
    """
    drawn = pictures.card_of(config(), status)
    if drawn is None:
        return ""
    version = pictures.digest_of(drawn)[:8]
    return url_for("sharing.card", login=status.author.login, status_id=status.id, v=version)


def _picture(content: bytes, digest: str) -> Response:
    """Return a picture that pages of other sites may show."""
    response = Response(content, mimetype="image/png")
    response.set_etag(digest)
    response.headers["Content-Security-Policy"] = PICTURE_CSP
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.cache_control.private = True
    response.cache_control.max_age = CARD_SECONDS
    response.make_conditional(request)
    return response


def _open(status_id: int) -> tuple[Status, ViewerState]:
    """Return a status as visitors see it. Two trips.

    Raises NotFound, also if its author is suspended or it is not meant for everybody.
    """
    try:
        return statuses.get_with_state(db(), status_id, None)
    except Forbidden:
        raise NotFound("no_status") from None
