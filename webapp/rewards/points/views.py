"""The pages of check-ins, of one's points, and of the boards."""

from datetime import date, timedelta
from functools import partial

from babel import Locale
from flask import Blueprint, flash, g, redirect, request, url_for
from flask_babel import get_locale, gettext as _, lazy_gettext as _l, ngettext
from werkzeug.wrappers import Response
from wtforms import BooleanField, SelectField

from webapp.core.forms.fields import Form
from webapp.core.i18n.formatting import time_zone_name
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, gather
from webapp.core.web import Page, Requester, config, cursor, db, done, prefetch, private_page, site
from webapp.core.web.rate_limits import rate_limited

from . import boards, check_ins, ledger
from .check_ins import CheckIns, zones
from .ledger import Entry
from .month import breaks_streak, first_day, month_of


class ChoicesForm(Form):
    """The time zone of check-ins, and what others see of them."""

    zone = SelectField(
        _l("Time zone"),
        choices=lambda: [(name, time_zone_name(name)) for name in zones()],
        description=_l("Your day begins at midnight there. You can change it once a week."),
        validate_choice=False,  # an unknown zone is taken for UTC
    )
    hidden = BooleanField(_l("Leave me off the leaderboards"))
    badge_hidden = BooleanField(_l("Hide the badge on my profile"))


bp = Blueprint("points", __name__)


def _check_ins(requester: Requester, **_arguments: object) -> Read[CheckIns]:
    return check_ins.check_ins_of(requester.uid or 0)


@bp.get("/check-in")
@prefetch(_check_ins)
def check_in(found: CheckIns) -> Response:
    """Show a month of the member's check-ins, and the button to check in."""
    uid, today = g.viewer.uid, found.today
    weekday = (get_locale() or Locale("en")).first_week_day
    first = first_day(request.args.get("month", ""), today)
    month, is_broken, balance = db().fetch(
        month_of(uid, first, weekday),
        breaks_streak(uid, today - timedelta(1)),
        ledger.balance_of(uid),
    )
    return render_kept(
        "rewards/points/check_in.html",
        check_ins=found,
        current=found.current,
        is_marked=found.is_marked,
        month=month,
        today=today,
        weekdays=tuple(date(2024, 1, 1 + (weekday + place) % 7) for place in range(7)),
        can_repair=is_broken and not found.has_repaired,
        balance=balance,
        price=check_ins.REPAIR_PRICE,
        badges=check_ins.BADGES,
        weekly=check_ins.WEEK_POINTS,
    )


@bp.post("/check-in")
@rate_limited("like", "check_in")
def mark() -> Response:
    """Check in for today."""
    found = db().read(check_ins.check_ins_of(g.viewer.uid))
    first_zone = request.form.get("zone", "") if found.takes_zone else ""
    gained = check_ins.check_in(site(), g.viewer.uid, found.zone, first_zone)
    if gained:
        flash(ngettext("Checked in: %(num)d point.", "Checked in: %(num)d points.", gained))
    return redirect(url_for("points.check_in"), 303)


@bp.post("/check-in/repair")
@rate_limited("like", "check_in")
def repair() -> Response:
    """Repair yesterday for points."""
    found = db().read(check_ins.check_ins_of(g.viewer.uid))
    streak = check_ins.repair(site(), g.viewer.uid, found.zone)
    days = ngettext("%(num)d day", "%(num)d days", streak)
    flash(_("Yesterday is repaired. Your streak: %(days)s.", days=days))
    return redirect(url_for("points.check_in"), 303)


@bp.route("/check-in/settings", methods=["GET", "POST"])
@prefetch(_check_ins)
def choose(found: CheckIns) -> Response:
    """Show or save the time zone, and what others see."""
    form = ChoicesForm(zone=found.zone, hidden=found.hidden, badge_hidden=found.badge_hidden)
    choose = partial(check_ins.choose, site(), g.viewer.uid, **form.data)
    if form.carry_out(choose, "edit", field="zone"):
        return done(_("Settings saved."), "points.check_in")
    return private_page("rewards/points/choose.html", form.http_status, form=form)


def _ledger(requester: Requester) -> Read[tuple[Page[Entry], int]]:
    uid = requester.uid or 0
    page = ledger.ledger_page(uid, cursor(), config().page_size)
    return gather(page, ledger.balance_of(uid))


@bp.get("/points")
@prefetch(_ledger)
def points(found: tuple[Page[Entry], int]) -> Response:
    """Show the member's points and what changed them."""
    page, balance = found
    return render_kept("rewards/points/points.html", page=page, balance=balance)


@bp.get("/boards")
def former_boards() -> Response:
    """Redirect the former address of the leaderboards."""
    who, when = request.args.get("who"), request.args.get("when")
    return redirect(url_for("points.show_boards", who=who, when=when), 301)


@bp.get("/leaderboards")
def show_boards() -> Response:
    """Show who earned most points. An unknown choice shows this week, among all members."""
    who = "followed" if request.args.get("who") == "followed" else "all"
    when = request.args.get("when", "")
    week = boards.this_week()
    times = {"week": str(week), "last": str(week - 1), "all": boards.ALL_TIME}
    when = when if when in times else "week"
    read = boards.board_of_followed if who == "followed" else boards.board_of_all
    places, rank = read(db(), g.viewer.uid, times[when])
    return render_kept("rewards/points/boards.html", places=places, rank=rank, who=who, when=when)
