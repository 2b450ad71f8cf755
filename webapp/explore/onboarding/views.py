"""The pages of the first steps. Each leads to the next; all may be skipped."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.profile import about
from webapp.accounts.settings.forms import ProfileForm
from webapp.core.errors import Conflict
from webapp.core.store.reads import Read, gather
from webapp.core.text.parser import tag_name
from webapp.core.web.context import db, site
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.redirects import redirect_back, safe_path
from webapp.core.web.security import no_store
from webapp.explore.suggestions.store import Candidates, candidates, suggested
from webapp.timelines.tags import store as tags

from . import store
from .steps import SiteSteps, Step, done_steps, first_undone, progress, site_steps
from .topics import TOPICS_MAX, Topic, current_names, topics

bp = Blueprint("onboarding", __name__, url_prefix="/welcome")
bp.after_request(no_store)
PEOPLE = 10  # suggestions of the step
ViewResponse = str | Response | tuple[str, int]


def _common(_: Requester) -> Read[SiteSteps]:
    return site_steps()


def _common_and_people(requester: Requester) -> Read[tuple[SiteSteps, Candidates]]:
    return gather(site_steps(), candidates(requester.uid))


@bp.get("")
@prefetch(_common)
def index(common: SiteSteps) -> Response:
    """Lead to the first step that the viewer has not done."""
    available = common.available(current_names(db(), common.topics))
    return _redirect_to(first_undone(available, done_steps(db(), g.viewer)))


@bp.get("/topics")
@prefetch(_common)
def choose_topics(common: SiteSteps) -> ViewResponse:
    """Offer hashtags to follow."""
    found = topics(site(), g.viewer.uid, common.topics)
    if not found:
        return _redirect_to(progress(common.available(()), Step.TOPICS).next)
    return _render_topics(common, found)


@bp.post("/topics")
@prefetch(_common)
def follow_topics(common: SiteSteps) -> ViewResponse:
    """Follow the chosen hashtags, then lead to the next step."""
    chosen = request.form.getlist("topic")
    names = list(dict.fromkeys(map(tag_name, chosen)))
    error = ""
    if len(names) > TOPICS_MAX or not all(names):
        error = _("Choose some of these topics.")
    elif names:
        consume_for_viewer("follow")
        try:
            tags.follow_all(site(), g.viewer.uid, names)
        except Conflict as refusal:
            error = str(refusal.sentence)
    if error:
        found = topics(site(), g.viewer.uid, common.topics)
        return _render_topics(common, found, chosen, error), 422
    available = common.available(common.topics.names)
    return _redirect_to(progress(available, Step.TOPICS).next)


@bp.get("/people")
@prefetch(_common_and_people)
def find_people(prefetched: tuple[SiteSteps, Candidates]) -> ViewResponse:
    """Suggest members to follow."""
    common, people = prefetched
    found = suggested(db(), g.viewer.uid, PEOPLE, people)
    if not found:
        return _redirect_to(progress(common.available(common.topics.names), Step.PEOPLE).next)
    return _render(common, Step.PEOPLE, suggested=found)


@bp.get("/picture")
@prefetch(_common)
def add_picture(common: SiteSteps) -> ViewResponse:
    """Offer the picture field of the profile's form."""
    profile = db().read(about(g.viewer.uid))
    form = ProfileForm(formdata=None)
    return _render(common, Step.PICTURE, form=form, about=profile)


@bp.get("/post")
@prefetch(_common)
def write_post(common: SiteSteps) -> ViewResponse:
    """Offer the composer."""
    return _render(common, Step.POST)


@bp.get("/done")
def done() -> str:
    """Say that all is done, and lead home or back to where the viewer came from."""
    return render_template("explore/onboarding/done.html", came_from=_came_from())


@bp.post("/finish")
def finish() -> Response:
    """Offer the first steps no longer."""
    store.finish(db(), g.viewer.uid)
    return redirect_back(url_for("timelines.home"))


ENDPOINTS = {
    Step.TOPICS: "onboarding.choose_topics",
    Step.PEOPLE: "onboarding.find_people",
    Step.PICTURE: "onboarding.add_picture",
    Step.POST: "onboarding.write_post",
    None: "onboarding.done",
}


def _render(common: SiteSteps, step: Step, **context: object) -> str:
    at = progress(common.available(common.topics.names), step)
    return render_template(
        f"explore/onboarding/{step.value}.html", progress=at, next_step=_path_of(at.next), **context
    )


def _render_topics(
    common: SiteSteps, found: list[Topic], chosen: list[str] | None = None, error: str = ""
) -> str:
    return _render(
        common,
        Step.TOPICS,
        topics=found,
        chosen=frozenset(chosen or ()),
        error=error,
        came_from=_came_from(),
    )


def _redirect_to(step: Step | None) -> Response:
    return redirect(_path_of(step), 303)


def _path_of(step: Step | None) -> str:
    """Return the path of a step, or of the end, which knows where the viewer came from."""
    return url_for(ENDPOINTS[step], next=_came_from())


def _came_from() -> str | None:
    """Return the page that the viewer came from, if it is one of this site."""
    return safe_path(request.values.get("next"))
