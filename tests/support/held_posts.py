"""Posts that are held until a moderator has read them."""

from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import page_text
from tests.support.world import Web
from webapp.core.store import Site
from webapp.core.web.context import site_of
from webapp.reports import listing
from webapp.reports.listing import Report

TERM = {"kind": "word", "value": "Casino", "action": "review", "lasts": "always"}
FORM = {"text": "first #reeds", "more1": "my casino", "key": "k" * 12}


def run_worker(site: Site) -> None:
    worker.publish_due(site)
    worker.drain(site)


def reports_of(web: Web) -> list[Report]:
    return listing.list_newest(site_of(web.app).db)


def answer(browser: FlaskClient, report: Report, act: str, why: str = "") -> str:
    """Answer a report, and return what the desk says then."""
    form = {"report": [report.id], "act": act, "why": why}
    return page_text(browser.post("/moderation", data=form, follow_redirects=True))


def held_report(web: Web, author: FlaskClient) -> Report:
    """Post a thread that waits, and return its report."""
    assert author.post("/statuses", data=FORM).location == "/drafts"
    [report] = reports_of(web)
    return report
