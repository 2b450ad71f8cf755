"""The pages of groups: finding, making and reading them, joining, leaving and voting."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.errors import Conflict, Invalid
from webapp.core.forms.idempotency import new_form_key
from webapp.core.rendering.kept_pages import kept_page, render_kept
from webapp.core.rendering.live_updates import stream_for_timeline
from webapp.core.rendering.shells import placeholder
from webapp.core.store import Read
from webapp.core.web import (
    Requester,
    Response,
    cursor,
    is_loaded_ahead,
    no_store,
    prefetch,
    private_page,
    public,
)
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.rate_limits import consume_for_requester, rate_limited
from webapp.core.web.redirects import ViewResponse, done, redirect_back, wants_json
from webapp.statuses.drafts.schedule_forms import ScheduleForm
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.visibility.groups import PostingGroup

from . import chat, lookup, store, voting
from .forms import NewGroupForm
from .models import Group, HomeChoice
from .posts import entries_read, group_page

bp = Blueprint("groups", __name__)
HOME_SENTENCES = {
    HomeChoice.POSTS.value: _l("Its posts are in your home."),
    HomeChoice.DIGEST.value: _l("Your home says how many posts are new."),
    HomeChoice.NOTHING.value: _l("Its posts aren’t in your home now."),
}
QUERY_MAX = 60  # characters


def gid_read(_requester: Requester, slug: str, **_arguments: object) -> Read[int]:
    """Read the number of the group that a page is about."""
    return lookup.gid_of(slug)


@bp.get("/groups")
@public
def index() -> ViewResponse:
    """Show the member's groups and invitations, and the largest that all may find."""
    page = lookup.groups_page(db(), g.viewer.uid if g.viewer else 0)
    return no_store(render_kept("groups/index.html", page=page))


@bp.get("/explore/find-groups")
@public
def find() -> ViewResponse:
    """Show the largest groups that all may find, or those of which `q` has words."""
    query = request.args.get("q", "")[:QUERY_MAX].strip()
    if query:
        consume_for_requester("search")
    return private_page("groups/find.html", groups=lookup.groups_with(db(), query), query=query)


@bp.route("/groups/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """Make a group, then show it."""
    form = NewGroupForm()
    fields = (form.slug, form.name, form.about, form.kind, form.voting)
    create = partial(store.create, site(), g.viewer.uid)
    if form.carry_out(
        lambda: create(*(field.data for field in fields)), "group", "new_group", field="slug"
    ):
        return done(_("Group created."), "groups.show", slug=form.slug.data)
    return private_page("groups/new.html", form.http_status, form=form)


@bp.get("/groups/<id:gid>")
@public
def by_number(gid: int) -> Response:
    """Lead to the page of a group, which a post names by its number."""
    return redirect(url_for("groups.show", slug=db().read(lookup.group(gid, None)).slug), 302)


@bp.get("/groups/<slug>")
@public
@prefetch(gid_read)
def show(gid: int, slug: str) -> ViewResponse:
    """Show the newest posts of a group, or what it is about to those who may not read it."""
    return _show_posts(gid, is_top=False)


@bp.get("/groups/<slug>/top")
@public
@prefetch(gid_read)
def top(gid: int, slug: str) -> ViewResponse:
    """Show the posts of a group by time and votes."""
    return _show_posts(gid, is_top=True)


def _show_posts(gid: int, is_top: bool) -> ViewResponse:
    uid = viewer_uid()
    group, entries = db().fetch(lookup.group(gid, uid), entries_read(site(), gid, is_top, cursor()))
    if not group.may_read:
        return private_page("groups/about.html", group=group, current="about")
    found = group_page(site(), group, entries, uid, filters_for("home"))
    is_visit = not is_top and cursor() is None and not is_loaded_ahead()
    if uid and group.home is HomeChoice.DIGEST and is_visit:
        store.visit(site(), uid, gid)

    def render() -> str:
        return render_template(
            "groups/show.html",
            group=group,
            page=found.page,
            votes=found.votes,
            pinned=found.pinned,
            current="top" if is_top else "new",
            form=_composer(group) if group.may_post else None,
            composer_key=placeholder("composer_key") if group.may_post else "",
            live_stream=None if is_top or group.is_closed else stream_for_timeline(f"group/{gid}"),
        )

    fresh = {"position": found.page.position, "composer_key": new_form_key()}
    return kept_page((group, found, is_top), render, fresh)


def _composer(group: Group) -> ScheduleForm:
    """Return the form of a post to a group."""
    form = ScheduleForm(formdata=None, data={"group": str(group.gid)})
    own = (group.gid, group.slug, group.name, group.kind, group.is_member, group.is_owner)
    form.posting_groups = [PostingGroup(*own)]
    return form


@bp.get("/groups/<slug>/about")
@public
@prefetch(gid_read)
def about(gid: int, slug: str) -> ViewResponse:
    """Show what a group is about, and its rules."""
    group = db().read(lookup.group(gid, viewer_uid()))
    return private_page("groups/about.html", group=group, current="about")


@bp.get("/groups/<slug>/members")
@public
@prefetch(gid_read)
def members(gid: int, slug: str) -> ViewResponse:
    """Show the members of a group to those who may read it."""
    return _show_members(gid)


def _show_members(gid: int, status: int = 200) -> Response:
    group = db().read(lookup.group(gid, viewer_uid())).require_readable()
    page, owners = lookup.members_page(db(), gid, cursor(), config().page_size)
    return private_page(
        "groups/members.html", status, group=group, page=page, owners=owners, current="members"
    )


@bp.post("/groups/<slug>/join")
@prefetch(gid_read)
@rate_limited("follow")
def join(gid: int, slug: str) -> Response:
    """Join a group, or ask to join a closed one."""
    is_member = store.join(site(), g.viewer.uid, gid)
    flash(_("You joined the group.") if is_member else _("Request sent. An owner will answer it."))
    return redirect(url_for("groups.show", slug=slug), 303)


@bp.post("/groups/<slug>/leave")
@prefetch(gid_read)
@rate_limited("follow")
def leave(gid: int, slug: str) -> Response:
    """Leave a group, or take back a request to join it. Its last owner chooses another first."""
    try:
        was_member = store.leave(site(), g.viewer.uid, gid)
    except Conflict as refusal:
        if wants_json():
            raise
        flash(str(refusal.sentence), "error")
        return _show_members(gid, refusal.status)
    said = _("You left the group.") if was_member else _("Request canceled.")
    return done(said, "groups.show", slug=slug)


@bp.post("/groups/<slug>/home")
@prefetch(gid_read)
@rate_limited("follow")
def show_at_home(gid: int, slug: str) -> Response:
    """Choose what the member's home shows of a group: `shown` is yes, digest or no."""
    shown = request.form.get("shown", "")
    if shown not in HOME_SENTENCES:
        raise Invalid("bad_home_choice", _("Choose what Home shows of the group."))
    store.set_home(site(), g.viewer.uid, gid, HomeChoice(shown))
    return done(str(HOME_SENTENCES[shown]), "groups.show", slug=slug)


@bp.post("/groups/<slug>/chat")
@prefetch(gid_read)
@rate_limited("chat")
def enter_chat(gid: int, slug: str) -> Response:
    """Enter the chat of a group, and show it."""
    return redirect(url_for("chats.show", cid=chat.enter(site(), g.viewer.uid, gid)), 303)


@bp.post("/groups/<slug>/posts/<id:status_id>/vote")
@prefetch(gid_read)
@rate_limited("like", "group_vote")
def vote(gid: int, slug: str, status_id: int) -> Response | dict[str, int]:
    """Vote on a post of a group: `vote` is up, down or none."""
    direction = request.form.get("vote", "")
    if direction not in voting.DIRECTIONS:
        raise Invalid("bad_vote", _("Vote up, down, or take your vote back."))
    votes = voting.vote(site(), g.viewer.uid, gid, status_id, direction)
    if wants_json():
        return {"votes": votes}
    return redirect_back(url_for("groups.show", slug=slug), anchor=f"status-{status_id}")
