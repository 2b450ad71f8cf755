"""The pages of lists: one's own, their timelines, and their members."""

from functools import partial

from flask import Blueprint, Response as FlaskResponse, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _

from webapp.accounts.renaming.redirects import owner_of_page, redirect_to_own
from webapp.accounts.store import get_by_login, uid_by_login
from webapp.autocomplete.picking.forms import ChosenForm
from webapp.autocomplete.picking.people import picker
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.forms.fields import ticked_numbers
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.rendering.live_updates import stream_for_timeline
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, cursor, done, in_loop, prefetch, private_page
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.core.web.redirects import ViewResponse
from webapp.core.web.view_options import public as open_to_all
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import filters_for
from webapp.timelines.home.frame import HomeFrame, home_frame

from . import access, lookup, store
from .forms import ListForm
from .timeline import list_page

bp = Blueprint("lists", __name__)


@bp.route("/lists", methods=["GET", "POST"])
def index() -> ViewResponse:
    """Show the member's lists, or create one, then show its members."""
    form, create = ListForm(), partial(store.create, site(), g.viewer.uid)
    if form.carry_out(lambda: create(**form.values()), "follow", field="name"):
        flash(_("List created. Now add some members."))
        return _redirect_to_members(form.outcome)
    lists, frame = db().fetch(lookup.owned(g.viewer.uid), home_frame(g.viewer.uid))
    by_number = {one.number: one for one in lists}
    pinned = [by_number.pop(tab.number) for tab in frame.lists if tab.number in by_number]
    return private_page(
        "lists/index.html",
        form.http_status,
        pinned=pinned,
        lists=list(by_number.values()),
        form=form,
        lists_max=config().lists_max,
    )


@bp.route("/lists/<id:number>/edit", methods=["GET", "POST"])
def edit(number: int) -> ViewResponse:
    """Change a list."""
    found = db().read(lookup.get(g.viewer.uid, number))
    form = ListForm(name=found.name, private=found.private, exclusive=found.exclusive)
    update = partial(store.update, site(), g.viewer.uid, number)
    if form.carry_out(lambda: update(**form.values()), "follow", field="name"):
        return done(_("List saved."), "lists.show", login=g.viewer.login, number=number)
    return private_page("lists/edit.html", form.http_status, list=found, form=form)


@bp.post("/lists/<id:number>/delete")
@bp.delete("/lists/<id:number>", endpoint="remove")
def delete(number: int) -> Response:
    """Delete a list."""
    store.delete(site(), g.viewer.uid, number)
    return done(_("List deleted."), "lists.index")


@bp.get("/@<login>/lists")
@prefetch(owner_of_page)
@cached()
def public(owner: int, login: str) -> ViewResponse:
    """Show the lists of a member that are not private."""
    found = db().read(access.public_lists(owner, viewer_uid()))
    if response := redirect_to_own(found.owner, login):
        return response
    depends_on_members([owner])
    return render_template(
        "lists/public.html", public_lists=found, owner=found.owner, is_own=viewer_uid() == owner
    )


def _shown(requester: Requester, login: str, **_arguments: object) -> Read[tuple[int, HomeFrame]]:
    return gather(uid_by_login(login), home_frame(requester.uid))


@bp.get("/@<login>/lists/<id:number>")
@in_loop
@open_to_all
@prefetch(_shown)
def show(prefetched: tuple[int, HomeFrame], login: str, number: int) -> ViewResponse:
    """Show the timeline of a list, below the tabs of home if its owner has pinned it there."""
    owner, frame = prefetched
    # Filters treat lists as they treat home: both are read every day.
    found, page = list_page(site(), owner, number, viewer_uid(), cursor(), filters_for("home"))
    if response := redirect_to_own(found.owner, login, max_id=cursor()):
        return response
    return render_kept(
        "lists/show.html",
        {"position": page.position},
        list=found.list,
        owner=found.owner,
        page=page,
        frame=frame,
        live_stream=stream_for_timeline(f"list/{owner}/{number}"),
        is_own=viewer_uid() == owner,
    )


@bp.get("/@<login>/lists/<id:number>/members")
@open_to_all
@prefetch(owner_of_page)
def members(owner: int, login: str, number: int) -> ViewResponse:
    """Show the members of a list."""
    return _render_members(owner, number, ChosenForm(), login)


@bp.post("/lists/<id:number>/members")
def add_members(number: int) -> ViewResponse:
    """Add members to a list, by their logins, up to the first one who is refused."""
    form = ChosenForm()
    if not form.is_accepted():
        return _render_members(g.viewer.uid, number, form)
    for place, login in enumerate(form.people.logins):
        consume_for_viewer("follow")
        try:
            member = store.set_memberships(site(), g.viewer.uid, login, {number: True})
        except (Conflict, Forbidden, Invalid, NotFound) as refusal:
            if refusal.code == "no_list":
                raise
            form.people.data = " ".join(form.people.logins[place:])
            form.refuse(refusal, "people").people.errors = [f"@{login}: {refusal.sentence}"]
            return _render_members(g.viewer.uid, number, form)
        flash(_("@%(login)s was added to the list.", login=member.login))
    return _redirect_to_members(number)


@bp.post("/lists/<id:number>/members/<login>/remove")
@bp.delete("/lists/<id:number>/members/<login>", endpoint="unlist")
@rate_limited("follow")
def remove_member(number: int, login: str) -> Response:
    """Remove a member from a list."""
    member = store.set_memberships(site(), g.viewer.uid, login, {number: False})
    flash(_("@%(login)s was removed from the list.", login=member.login))
    return _redirect_to_members(number)


@bp.get("/@<login>/lists/add")
def choose_lists(login: str) -> ViewResponse:
    """Show the member's lists, to put another member on some of them."""
    member = get_by_login(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("list_yourself")
    lists = db().read(lookup.owned(g.viewer.uid, member.uid))
    return private_page("lists/memberships.html", member=member, lists=lists)


@bp.post("/@<login>/lists/add")
@rate_limited("follow")
def set_memberships(login: str) -> Response:
    """Put a member on the lists that are ticked, and remove them from the others."""
    member = store.set_memberships(site(), g.viewer.uid, login, ticked_numbers("lists"))
    return done(_("Lists saved."), "timelines.profile", login=member.login)


def _render_members(owner: int, number: int, form: ChosenForm, login: str = "") -> ViewResponse:
    """Render the members of a list. `login`: as the address has it; '' after a form."""
    before = cursor()
    found, page = access.members_page(db(), owner, number, viewer_uid(), before, config().page_size)
    if login and (response := redirect_to_own(found.owner, login, max_id=before)):
        return response
    is_own = viewer_uid() == owner
    html = render_template(
        "lists/members.html",
        list=found.list,
        owner=found.owner,
        page=page,
        form=form,
        is_own=is_own,
        picker=db().read(picker(owner, db().read(form.search()))) if is_own else None,
        members_max=config().list_members_max,
    )
    return FlaskResponse(html, form.http_status)


def _redirect_to_members(number: int) -> Response:
    return redirect(url_for("lists.members", login=g.viewer.login, number=number), 303)
