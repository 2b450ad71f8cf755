"""`/metrics`, the figures on /admin, and log lines at /admin/log."""

import secrets
import time

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import NotFound

from webapp.accounts.viewer import admin_blueprint
from webapp.core.net.countries import source
from webapp.core.net.proxies import is_from_this_machine
from webapp.core.web import anonymous, config, db, no_store

from . import charts, lines, prometheus
from .people import WEEKS, retention, visitors
from .processes import with_leases
from .routes import slowest
from .series import SPANS, samples

bp = Blueprint("metrics", __name__)
bp.after_request(no_store)
log_bp = admin_blueprint("log_lines", __name__)
REFRESH_MAX = 60  # seconds


@bp.get("/metrics")
@anonymous
def show() -> Response:
    """Show all metrics to programs of this machine, or with METRICS_TOKEN. Raises NotFound."""
    if not _may_scrape():
        raise NotFound
    return Response(prometheus.render(db(), int(time.time())), content_type=prometheus.CONTENT_TYPE)


@log_bp.get("/admin/log", endpoint="index")
def log() -> str:
    """Show the newest lines with all words of `q`, of one severity or of all. Two trips."""
    chosen, words = request.args.get("severity", ""), request.args.get("q", "")
    severities = (chosen,) if chosen in lines.SEVERITIES else lines.SEVERITIES
    return render_template(
        "metrics/log.html",
        found=db().read(lines.search(severities, words)),
        severities=lines.SEVERITIES,
        chosen=chosen,
        words=words,
        most=lines.FOUND_MAX,
    )


def admin_panel() -> Markup:
    """Return the charts, visitors, routes, processes and log lines of /admin. Five trips.

    `span` in the address: how far back the charts go.
    """
    span = SPANS.get(request.args.get("span", ""), SPANS["hour"])
    now = int(time.time())
    found, (processes, leases), (recent, common), (people, countries) = db().fetch(
        samples(span), with_leases(), lines.log_lines(now), visitors(now)
    )
    page = render_template(
        "metrics/panel.html",
        span=span,
        spans=list(SPANS),
        charts=charts.draw(found, now),
        visitors=people,
        countries=countries,
        cohorts=retention(db(), now),
        weeks=WEEKS,
        country_source=source(config()) if config().countries else None,
        routes=slowest(db(), span.name, now),
        processes=processes,
        leases=leases,
        recent=recent,
        common=common,
        size=(charts.WIDTH, charts.HEIGHT),
        refresh_seconds=min(REFRESH_MAX, max(span.precision, span.point // 3)),
    )
    return Markup(page)


def _may_scrape() -> bool:
    """Return True for a request with the token, or from this machine and through no proxy."""
    token = config().metrics_token
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token and secrets.compare_digest(sent.encode(), token.encode()):
        return True
    return is_from_this_machine()
