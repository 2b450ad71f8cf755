"""The desk of moderators: reports, members, appeals and the log."""

from flask import Blueprint, Response, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, ngettext
from werkzeug.wrappers import Response as AnyResponse

from webapp.accounts import store as accounts
from webapp.accounts.factors.requirement import require_moderator
from webapp.core.errors.kinds import NotFound
from webapp.core.media.signatures import current_signer
from webapp.core.store import Read
from webapp.core.web import Requester, config, cursor, db, done, no_store, prefetch, site
from webapp.core.web.redirects import ViewResponse
from webapp.reports import listing, store as reports
from webapp.reports.category import LABELS, parse_category

from . import acting, desk, log
from .acts import ACTS, rank_of
from .bans.labels import LOGGED
from .bans.store import log_changes
from .forms import TAKE, ActForm, ReportsForm

bp = Blueprint("moderation", __name__, url_prefix="/moderation")
bp.before_request(require_moderator)
bp.after_request(no_store)
bp.add_app_template_global(lambda: db().read(desk.waiting_counts()), "waiting_counts")
ON_DRAFTS = ("publish", "withhold")
ON_REPORTS = ("dismiss", "warn", "cover", "remove", "limit", "suspend")
ON_MEMBERS = ("note", "warn", "limit", "suspend", "promote", "demote", "accept", "refuse")


def _wanted() -> tuple[str, str]:
    """Return the state and the category of the reports that the address asks for."""
    state, category = request.args.get("state", ""), parse_category(request.args.get("category"))
    known = state if state in desk.STATES else desk.STATES[0]
    return known, category.value if category and known != "mine" else ""


def _times(requester: Requester) -> Read[listing.Times]:
    queue = desk.queue_name(*_wanted(), requester.uid or 0)
    return listing.times_in(queue, cursor(), config().page_size + 1)


@bp.get("")
@prefetch(_times)
def index(times: listing.Times) -> str:
    """Show reports: open ones, those that the viewer takes care of, or those that are done."""
    return _reports_page(ReportsForm((), formdata=None), times)


@bp.post("")
def answer_reports() -> ViewResponse:
    """Act on some reported posts or members, or take care of reports."""
    form = ReportsForm((TAKE, *ON_DRAFTS, *ON_REPORTS), request.form.get("act") in ON_DRAFTS)
    if not form.validate_on_submit():
        return _reports_page(form, db().read(_times(Requester(g.viewer.uid)))), 422
    if form.act.data == TAKE:
        reports.take(db(), form.chosen, g.viewer.uid)
        return done(_("You’re taking care of them now."), "moderation.index", state="mine")
    outcome = desk.answer_reports(site(), g.viewer, form.act.data, form.why.data, form.chosen)
    if outcome.answered:
        flash(ngettext("%(num)d report is done.", "%(num)d reports are done.", outcome.answered))
    for sentence in {str(refusal.sentence) for refusal in outcome.refusals}:
        flash(sentence, "error")
    return redirect(request.full_path.rstrip("?"), 303)


@bp.get("/find")
def find() -> AnyResponse:
    """Lead to the page of the member with a typed username, or to members with such a name."""
    login = request.args.get("login", "").strip().removeprefix("@")
    try:
        found = accounts.get_by_login(db(), login)
    except NotFound:
        return redirect(url_for("directory.index", q=login), 303)
    return redirect(url_for("moderation.member", login=found.login), 303)


@bp.get("/@<login:login>")
@prefetch(lambda _requester, login: accounts.uid_by_login(login))
def member(uid: int, login: str) -> str:
    """Show what is known about a member: acts, notes, reports."""
    return _member_page(uid, ActForm((), formdata=None))


@bp.post("/@<login:login>")
@prefetch(lambda _requester, login: accounts.uid_by_login(login))
def act_on_member(uid: int, login: str) -> ViewResponse:
    """Act on a member, or write a note about them."""
    form = ActForm(ON_MEMBERS)
    if not form.validate_on_submit():
        return _member_page(uid, form), 422
    acting.act(site(), g.viewer, uid, form.act.data, form.why.data)
    flash(_("Done."))
    if ACTS[form.act.data].on == "application":
        return redirect(url_for("moderation.sign_ups"), 303)
    return redirect(url_for("moderation.member", login=login), 303)


@bp.post("/@<login:login>/<int:number>")
@prefetch(lambda _requester, login, **_others: accounts.uid_by_login(login))
def answer(uid: int, login: str, number: int) -> AnyResponse:
    """Take an act back, or with `keep` refuse the appeal against it."""
    granted = "keep" not in request.form
    acting.answer(site(), g.viewer, uid, number, granted)
    flash(_("Taken back.") if granted else _("The decision stays."))
    return redirect(url_for("moderation.member", login=login), 303)


@bp.get("/appeals")
@prefetch(lambda _requester: desk.waiting_appeals(cursor(), config().page_size))
def appeals(names: list[tuple[str, int]]) -> str:
    """Show the appeals that wait for an answer."""
    page = desk.appeals_page(db(), names, config().page_size)
    return render_template("moderation/appeals.html", page=page)


@bp.get("/sign-ups")
def sign_ups() -> str:
    """Show the accounts that wait to be accepted, those that wait longest first."""
    waiting = desk.waiting_sign_ups(db(), config().page_size)
    acts = [ACTS[name] for name in ("accept", "refuse")]
    return render_template("moderation/sign_ups.html", waiting=waiting, acts=acts)


@bp.get("/log")
def show_log() -> str:
    """Show the log, newest first."""
    log_changes(db())
    page = log.page(db(), cursor(), config().page_size)
    return render_template("moderation/log.html", page=page, ban_labels=LOGGED)


@bp.get("/log.csv")
def export_log() -> Response:
    """Send the whole log as CSV, in a stream."""
    log_changes(db())
    headers = {"Content-Disposition": 'attachment; filename="moderation.csv"'}
    return Response(log.export(db()), mimetype="text/csv", headers=headers)


def _reports_page(form: ReportsForm, times: listing.Times) -> str:
    state, category = _wanted()
    page = listing.with_contents(db(), times, config().page_size)
    held = [one for one in page.items if one.draft_saved and state != "done"]
    others = [one for one in page.items if one not in held]
    is_on_drafts = bool(held) and (form.act.data in ON_DRAFTS or not others)
    blank = ReportsForm((), not is_on_drafts, formdata=None)
    forms = (form, blank) if is_on_drafts else (blank, form)
    return render_template(
        "moderation/reports.html",
        parts=[
            (part, form, reports, [ACTS[name] for name in names])
            for part, form, reports, names in (
                ("drafts", forms[0], held, ON_DRAFTS),
                ("reports", forms[1], others, ON_REPORTS),
            )
            if reports
        ],
        page=page,
        state=state,
        category=category,
        categories=LABELS,
        choices={one.value: label for one, label in LABELS.items()},
        all_acts=ACTS,
        signer=current_signer(),
    )


def _member_page(uid: int, form: ActForm) -> str:
    found = desk.member_file(db(), uid)
    return render_template(
        "moderation/member.html",
        form=form,
        file=found,
        acts=[ACTS[name] for name in _offered(found)],
        all_acts=ACTS,
        categories=LABELS,
        signer=current_signer(),
        may_act=rank_of(g.viewer.rights) > rank_of(found.member.rights),
    )


def _offered(found: desk.MemberFile) -> list[str]:
    """Return the acts that make sense for a member, as far as the viewer may do them."""
    member, rank = found.member, rank_of(g.viewer.rights)
    if rank <= rank_of(member.rights):
        return ["note"]
    makes_sense = {
        "note": True,
        "warn": not member.warned,
        "limit": not member.limited,
        "suspend": not member.suspended,
        "promote": rank >= ACTS["promote"].rank
        and not (member.suspended or rank_of(member.rights)),
        "demote": rank >= ACTS["demote"].rank and rank_of(member.rights) == 1,
    }
    return [name for name, offered in makes_sense.items() if offered]
