"""The pages of nearby: posts around a point, and people who chose to be found."""

import re
from datetime import datetime
from math import cos, radians, sin

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.store import Read, gather
from webapp.core.web import Requester, db, limit_for_viewer, no_store, prefetch, rate_limited
from webapp.core.web.rate_limits import consume_for_requester
from webapp.core.web.redirects import ViewResponse, declare_act
from webapp.statuses.filters.apply import filters_for

from . import people
from .cells import LATITUDE_MAX, Point, rounded
from .points import SHOWN_MAX, NearPost, find, visible_posts

bp = Blueprint("nearby", __name__, url_prefix="/nearby")
bp.after_request(no_store)
HIDDEN = _l("No one can find you nearby anymore. Your position is deleted.")
declare_act(bp, "/people/hide", people.hide, "nearby.show_people", takes=db, said=HIDDEN)
RADII = (1, 5, 20, 100)  # km
RADIUS = 5
NUMBER = r"([+-]?[0-9]{1,3}(?:\.[0-9]{0,20})?)"
POINT = re.compile(rf"\s*{NUMBER}\s*[,;\s]\s*{NUMBER}\s*\Z")
DIRECTIONS = [
    *(_l("north"), _l("northeast"), _l("east"), _l("southeast")),
    *(_l("south"), _l("southwest"), _l("west"), _l("northwest")),
]


@bp.app_template_filter("direction_name")
def direction_name(angle: float) -> str:
    """Return the name of a direction (degrees from north, by east)."""
    return str(DIRECTIONS[round(angle / 45) % len(DIRECTIONS)])


@bp.app_template_filter("on_map")
def on_map(post: NearPost, radius_km: int) -> tuple[float, float]:
    """Return where a map of 200 × 200 shows a post: x to the east, y to the south."""
    length, angle = 90 * min(post.km / radius_km, 1), radians(post.direction)
    return 100 + length * sin(angle), 100 - length * cos(angle)


@bp.get("")
def index() -> ViewResponse:
    """Show posts with a public place around a point, the nearest first."""
    typed = request.args.get("at", "").strip()
    point, radius = _parse_point(typed), _radius()
    near: list[NearPost] = []
    state = None
    if point:
        consume_for_requester("search")
        found = db().read(find(point, radius))
        filters = filters_for("public")
        near, state = visible_posts(db(), found, point, radius, g.viewer.uid, filters)
    page = render_template(
        "community/nearby/index.html",
        typed=typed[:60],
        point=rounded(point) if point else None,
        near=near,
        state=state,
        radius=radius,
        radii=RADII,
        most=SHOWN_MAX,
        error=_wrong_point() if typed and not point else "",
    )
    return page, 422 if typed and not point else 200


def _own_position(requester: Requester) -> Read[tuple[people.Position | None, datetime]]:
    uid = requester.uid or 0
    return gather(people.position_of(uid), people.found_until(uid))


@bp.get("/people")
@prefetch(_own_position)
def show_people(own: tuple[people.Position | None, datetime]) -> str:
    """Show members nearby to a member whom they may find too."""
    return _people_page(own)


def _people_page(
    own: tuple[people.Position | None, datetime], typed: str = "", error: str = ""
) -> str:
    position, until = own
    found = []
    if position:
        db().read(limit_for_viewer("nearby"))
        found = people.people_near(db(), g.viewer.uid, position[1])
    return render_template(
        "community/nearby/people.html",
        position=position,
        until=until,
        people=found,
        typed=typed[:60],
        error=error,
    )


@bp.post("/people")
@rate_limited("nearby")
def appear() -> ViewResponse:
    """Let the member be found around a point for a day, in place of the one before."""
    typed = request.form.get("at", "")
    point = _parse_point(typed)
    if point is None:
        own = db().read(_own_position(Requester(g.viewer.uid)))
        return _people_page(own, typed, _wrong_point()), 422
    people.show(db(), g.viewer.uid, point)
    return redirect(url_for("nearby.show_people"), 303)


def _radius() -> int:
    radius = request.args.get("radius", RADIUS, type=int)
    return radius if radius in RADII else RADIUS


def _parse_point(typed: str) -> Point | None:
    """Return latitude and longitude, cut to 6 decimals. None if they are no point."""
    match = POINT.match(typed[:60].replace("−", "-"))
    if not match:
        return None
    lat, long = round(float(match[1]), 6), round(float(match[2]), 6)
    return (lat, long) if abs(lat) <= LATITUDE_MAX and abs(long) <= 180 else None


def _wrong_point() -> str:
    return str(
        _("Type latitude and longitude, such as “52.52, 13.40”. The poles are out of reach.")
    )
