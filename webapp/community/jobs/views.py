"""The pages of jobs: offers, those that fit, and a member's skills."""

from dataclasses import asdict, replace
from functools import partial

from flask import Blueprint, g, render_template, request
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Read, constant, gather
from webapp.core.web import Requester, config, cursor, db, done, no_store, prefetch, site
from webapp.core.web.rate_limits import consume_for_requester
from webapp.core.web.redirects import ViewResponse, declare_act
from webapp.statuses.visibility.relationships import visible_members

from . import store
from .forms import LEVEL_NAMES, PLACE_MAX, OfferForm, OwnSkillsForm
from .skills import NAME_MAX, lacking

bp = Blueprint("jobs", __name__, url_prefix="/jobs")
bp.after_request(no_store)
declare_act(bp, "/<id:job_id>/close", store.close, "jobs.own", said=_l("Offer closed."))


@bp.app_template_filter("level_name")
def level_name(level: int) -> str:
    """Return the name of a level of a skill."""
    return str(LEVEL_NAMES[level])


def _searched() -> tuple[str, str]:
    """Return the skill and the place of a search, "" for any."""
    return request.args.get("skill", "")[:NAME_MAX], request.args.get("place", "")[:PLACE_MAX]


def _search() -> Read[store.Found]:
    return store.search(*_searched(), cursor(), config().page_size)


def _newest(_requester: Requester) -> Read[tuple[store.Found | None, list[str]]]:
    """Read the newest offers, with the session. A search is counted before it is made."""
    found = constant(None) if any(_searched()) else _search()
    return gather(found, store.skill_names())


@bp.get("")
@prefetch(_newest)
def index(prefetched: tuple[store.Found | None, list[str]]) -> str:
    """Show open offers, the newest first, and a form to search them."""
    found, names = prefetched
    skill, place = _searched()
    if found is None:
        consume_for_requester("search")
        found = db().read(_search())
    page = store.visible_page(db(), g.viewer.uid, found)
    return render_template(
        "community/jobs/index.html", page=page, skill=skill, place=place, names=names
    )


def _lacking() -> int:
    """Return how many skills of an offer the member may lack."""
    return int(request.args.get("missing") == "1")


@bp.get("/mine")
@prefetch(lambda requester: store.candidate_of(requester.uid or 0))
def fitting(candidate: store.Candidate) -> str:
    """Show the offers that fit the member's skills, or almost fit."""
    consume_for_requester("search")
    found = db().read(store.fitting(g.viewer.uid, _lacking(), cursor(), config().page_size))
    page = store.visible_page(db(), g.viewer.uid, found)
    by_others = tuple(item for item in page.items if item[1].uid != g.viewer.uid)
    page = replace(page, items=by_others)
    missing = {job.id: lacking(job.offer.skills, candidate.skills) for job, _author in page.items}
    return render_template(
        "community/jobs/mine.html",
        page=page,
        candidate=candidate,
        almost=_lacking(),
        missing=missing,
    )


@bp.get("/own")
@prefetch(lambda requester: store.own_ids(requester.uid or 0))
def own(ids: list[int]) -> str:
    """Show the member's own offers."""
    page = store.visible_page(db(), g.viewer.uid, (ids, None))
    return render_template("community/jobs/own.html", page=page)


@bp.get("/<id:job_id>")
@prefetch(lambda _requester, job_id: store.get(job_id))
def show(job: store.Job | None, job_id: int) -> str:
    """Show an offer. Its author also sees who fits."""
    if job is None:
        raise NotFound("no_job")
    if is_own := job.uid == g.viewer.uid:
        consume_for_requester("search")
    fitting = db().read(store.candidates(job_id))[0] if is_own else []
    uids = [job.uid, *(uid for uid, _skills in fitting)]
    members = db().read(visible_members(g.viewer.uid, uids))
    if job.uid not in members:
        raise NotFound("no_job")
    others = {uid: one for uid, one in members.items() if uid != job.uid and not one.limited}
    people = [(others[uid], skills) for uid, skills in fitting if uid in others]
    author = members[job.uid]
    return render_template(
        "community/jobs/show.html", job=job, author=author, is_own=is_own, people=people
    )


@bp.route("/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """Post an offer, then show it."""
    return _edit(OfferForm())


@bp.route("/<id:job_id>/edit", methods=["GET", "POST"])
def edit(job_id: int) -> ViewResponse:
    """Change an offer of one's own, then show it. Raises NotFound, Forbidden."""
    job = NotFound.unless(db().read(store.get(job_id)), "no_job")
    if job.uid != g.viewer.uid:
        raise Forbidden("not_yours")
    return _edit(OfferForm(**asdict(job.offer) | {"skills": job.offer.skills}), job)


@bp.route("/skills", methods=["GET", "POST"])
@prefetch(lambda requester: store.candidate_of(requester.uid or 0))
def skills(candidate: store.Candidate) -> ViewResponse:
    """Save the member's skills, then show what fits."""
    form = OwnSkillsForm(candidate.skills, shown=candidate.shown)
    save = partial(store.save_skills, site(), g.viewer.uid)
    if form.carry_out(lambda: save(form.candidate()), "group", "job_skills", field="shown"):
        return done(_("Skills saved."), "jobs.fitting")
    names = db().read(store.skill_names())
    return form.render("community/jobs/skills.html", names=names)


def _edit(form: OfferForm, job: store.Job | None = None) -> ViewResponse:
    """Show the form of an offer, or save it. `job`: the one that is changed, None for a new one."""
    save = partial(store.save, site(), g.viewer.uid, job_id=job.id if job else None)
    if form.carry_out(lambda: save(form.offer()), "group", "job"):
        said = _("Offer saved.") if job else _("Your offer is posted.")
        return done(said, "jobs.show", job_id=form.outcome)
    names = db().read(store.skill_names())
    return form.render("community/jobs/edit.html", job=job, names=names)
