"""The pages of the first steps. Each leads to the next; all may be skipped."""

from contextlib import suppress

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, ngettext

from webapp.accounts import store as accounts
from webapp.accounts.profile import about
from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.settings.forms import ProfileForm
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.store import Read, gather
from webapp.core.text.parser import tag_name
from webapp.core.web import Requester, Response, consume_for_viewer, db, no_store, prefetch, site
from webapp.core.web.redirects import ViewResponse, declare_act, safe_path
from webapp.explore import languages
from webapp.explore.suggestions.store import Candidates, candidates, suggested
from webapp.following import store as following
from webapp.timelines.hot.store import writers
from webapp.timelines.tags import store as tags

from . import steps
from .steps import SiteSteps, Step, done_steps, first_undone, progress, site_steps
from .topics import TOPICS_MAX, OnboardingTopic, current_names, topics

bp = Blueprint("onboarding", __name__, url_prefix="/welcome")
bp.after_request(no_store)
declare_act(bp, "/finish", steps.finish, "timelines.home", takes=db, back=True)
PEOPLE = 10  # suggestions of the step
PEOPLE_FROM = 40  # those among whom people who write in the reader's language are found


def _common(_: Requester) -> Read[SiteSteps]:
    return site_steps()


def _common_and_people(requester: Requester) -> Read[tuple[SiteSteps, Candidates, frozenset[int]]]:
    return gather(site_steps(), candidates(requester.uid), writers(languages.own()))


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
    """Follow the chosen hashtags, then lead to the next step. Home offers none any more."""
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
    steps.finish(db(), g.viewer.uid)
    return _redirect_after(common, Step.TOPICS)


@bp.get("/people")
@prefetch(_common_and_people)
def find_people(prefetched: tuple[SiteSteps, Candidates, frozenset[int]]) -> ViewResponse:
    """Suggest members to follow, those who write in the reader's language first."""
    common, people, of_language = prefetched
    found = suggested(db(), g.viewer.uid, PEOPLE_FROM, people)
    if not found:
        return _redirect_after(common, Step.PEOPLE)
    found.sort(key=lambda one: one.member.uid not in of_language)
    return _render(common, Step.PEOPLE, suggested=found[:PEOPLE])


@bp.post("/people")
@prefetch(_common)
def follow_people(common: SiteSteps) -> ViewResponse:
    """Follow the people of the form, then lead to the next step. Home offers none any more.

    Those who cannot be followed any more are left out.
    """
    followed = 0
    members = accounts.get_many_by_login(db(), request.form.getlist("login")[:PEOPLE])
    for member in members.values():
        consume_for_viewer("follow")
        with suppress(Conflict, Forbidden, Invalid, NotFound):
            following.follow_member(site(), g.viewer.uid, member)
            followed += 1
    steps.finish(db(), g.viewer.uid)
    if followed:
        flash(
            ngettext("You follow %(num)d person now.", "You follow %(num)d people now.", followed)
        )
    return _redirect_after(common, Step.PEOPLE)


@bp.get("/picture")
@prefetch(_common)
def add_picture(common: SiteSteps) -> ViewResponse:
    """Offer the picture field of the profile's form."""
    profile = db().read(about(g.viewer.uid))
    form = ProfileForm(formdata=None)
    return _render(common, Step.PICTURE, form=form, about=profile)


@bp.get("/codes")
@prefetch(lambda requester: gather(site_steps(), recent_proof(requester)))
def get_codes(prefetched: tuple[SiteSteps, bool]) -> ViewResponse:
    """Offer recovery codes."""
    common, proved = prefetched
    return _render(common, Step.CODES, form=ProofForm(formdata=None, proved=proved))


@bp.get("/post")
@prefetch(_common)
def write_post(common: SiteSteps) -> ViewResponse:
    """Offer the composer."""
    return _render(common, Step.POST)


@bp.get("/done")
def done() -> str:
    """Say that all is done, and lead home or back to where the viewer came from."""
    return render_template("explore/onboarding/done.html", came_from=_came_from())


ENDPOINTS = {
    Step.TOPICS: "onboarding.choose_topics",
    Step.PEOPLE: "onboarding.find_people",
    Step.PICTURE: "onboarding.add_picture",
    Step.CODES: "onboarding.get_codes",
    Step.POST: "onboarding.write_post",
    None: "onboarding.done",
}


def _render(common: SiteSteps, step: Step, **context: object) -> str:
    at = progress(common.available(common.topics.names), step)
    return render_template(
        f"explore/onboarding/{step.value}.html",
        progress=at,
        next_step=_path_of(at.next),
        came_from=_came_from(),
        **context,
    )


def _render_topics(
    common: SiteSteps,
    found: list[OnboardingTopic],
    chosen: list[str] | None = None,
    error: str = "",
) -> str:
    return _render(common, Step.TOPICS, topics=found, chosen=frozenset(chosen or ()), error=error)


def _redirect_after(common: SiteSteps, step: Step) -> Response:
    """Redirect to the step after one of them."""
    return _redirect_to(progress(common.available(common.topics.names), step).next)


def _redirect_to(step: Step | None) -> Response:
    return redirect(_path_of(step), 303)


def _path_of(step: Step | None) -> str:
    """Return the path of a step, or of the end, which knows where the viewer came from."""
    return url_for(ENDPOINTS[step], next=_came_from())


def _came_from() -> str | None:
    """Return the page that the viewer came from, if it is one of this site."""
    return safe_path(request.values.get("next"))
