"""Pictures that native apps can draw, in place of the site's SVG."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import pi, sin

from flask import Blueprint, Response
from PIL import Image, ImageDraw

from webapp.core.media.identicons import Identicon, identicon
from webapp.core.web import storeless

bp = Blueprint("client_pictures", __name__)
SIDE, SCALE = 200, 2  # pixels; it is drawn larger, so that its edges are smooth
HEADER_SIZE = (600, 200)
HEADER_COLOUR = "#dfe7e4"
DAY_SECONDS = 86_400
# The bird as ellipses and polygons of 40 units, looking right.
BODY, HEAD, BREAST = (9, 15, 29, 31), (22, 9, 34, 21), (15, 19, 28, 31)
TAIL, BEAK, EYE = ((2, 13), (13, 20), (10, 26)), ((33, 13), (38, 15.5), (33, 17)), (27, 13, 29, 15)


@bp.get("/avatars/<id:uid>.png")
@storeless
def avatar(uid: int) -> Response:
    """Show the picture of a member who has chosen none."""
    return _picture(draw_avatar(uid))


@bp.get("/headers/original/missing.png")
@storeless
def header() -> Response:
    """Show the header of a member who has chosen none. Clients know it by its path."""
    return _picture(_png(Image.new("RGB", HEADER_SIZE, HEADER_COLOUR)))


@lru_cache(500)
def draw_avatar(uid: int) -> bytes:
    """Return the identicon of a member id as PNG, always the same one."""
    found = identicon(uid)
    unit = SIDE * SCALE / 40
    picture = Image.new("RGB", (SIDE * SCALE, SIDE * SCALE), _colour(found.sky))
    draw = ImageDraw.Draw(picture)
    top = [(x, 29 + 4 * sin(uid + x * pi / 20)) for x in range(41)]
    draw.polygon([(x * unit, y * unit) for x, y in (*top, (40, 40), (0, 40))], _colour(found.hill))
    _draw_bird(draw, found, unit)
    return _png(picture.resize((SIDE, SIDE), Image.Resampling.LANCZOS))


def _draw_bird(draw: ImageDraw.ImageDraw, found: Identicon, unit: float) -> None:
    def placed(x: float, y: float) -> tuple[float, float]:
        return ((40 - x if found.faces_left else x) * unit, y * unit)

    def ellipse(box: tuple[float, float, float, float], colour: str) -> None:
        corners = sorted((placed(*box[:2]), placed(*box[2:])))
        left, right = corners[0][0], corners[1][0]
        draw.ellipse((left, box[1] * unit, right, box[3] * unit), colour)

    body = _colour(found.body)
    draw.polygon([placed(*point) for point in TAIL], body)
    ellipse(BODY, body)
    ellipse(BREAST, _colour(found.breast))
    ellipse(HEAD, body)
    draw.polygon([placed(*point) for point in BEAK], "#f2b134")
    ellipse(EYE, "#1d2524")


def _colour(css: str) -> str:
    return css.replace(" ", ", ")


def _png(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


def _picture(png: bytes) -> Response:
    response = Response(png, mimetype="image/png")
    response.cache_control.public, response.cache_control.max_age = True, DAY_SECONDS
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
