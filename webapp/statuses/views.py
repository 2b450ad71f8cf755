"""Posting, deleting and reading statuses."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.errors import (
    SENTENCES,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    Unavailable,
)
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.forms.idempotency import new_form_key
from webapp.core.media.decoding import BadPicture
from webapp.core.rendering.feature_pages import votes
from webapp.core.rendering.kept_pages import kept_page, render_kept
from webapp.core.rendering.live_updates import stream_for_thread
from webapp.core.rendering.shells import placeholder
from webapp.core.store import Read, constant, parse_id
from webapp.core.text import parser
from webapp.core.web import Page, Requester, Response, accepts_uploads, prefetch, rate_limited
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.redirects import declare_act, redirect_back, wants_json
from webapp.core.web.view_options import in_loop
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.compose.posting import remember_audience_of, with_quote_preview
from webapp.statuses.threads.presentation import body_segments, in_wanted_order, replies_wanted
from webapp.statuses.view_counts.viewers import note_opened

from . import by_ids, store
from .attachments import staging
from .compose.blank_composer import blank_composer
from .compose.forms import PostForm
from .compose.remembered_audience import remembered_audience
from .compose.reply_forms import reply_form
from .compose.thread_parts import PARTS_MAX, ThreadPart
from .drafts.saving import post_or_save, scheduled_notice
from .drafts.schedule_forms import BlankPostForm, ScheduleForm
from .filters.apply import filters_for, without_filtered
from .hydration import complete
from .items import hashtags_on_page, people_on_page, uids_on_page
from .permalinks import canonical_redirect
from .rendering import preview, render_statuses
from .threads import replies, store as threads
from .values import places
from .values.reply_policy import REPLY_ERRORS
from .view_counts.store import view_count
from .visibility import targets

bp = Blueprint("statuses", __name__)
bp.add_app_template_filter(body_segments)
bp.add_app_template_filter(preview)
bp.add_app_template_global(render_statuses)
bp.add_app_template_global(BlankPostForm, "blank_post_form")
bp.add_app_template_global(blank_composer)
bp.add_app_template_global(new_form_key, "new_form_key")
bp.add_app_template_global(hashtags_on_page)
bp.add_app_template_global(people_on_page)
REMOVE, REMOVED = "/statuses/places/remove", _l("Places removed from your posts.")
declare_act(bp, REMOVE, places.remove_locations, "settings.privacy", "edit", said=REMOVED)
Body = str | dict[str, Any]
ResponseValue = Response | tuple[Body, int] | tuple[Body, int, dict[str, str]]


@bp.get("/statuses/new")
def new() -> Response | tuple[str, int]:
    """Show a form to write in. `quote`: a status that it is about; `group`: where it goes."""
    if not request.args:
        end = {"composer_key": new_form_key}
        return render_kept("statuses/new.html", end, composer_key=placeholder("composer_key"))
    quoted_id = parse_id(request.args.get("quote", ""))
    chosen = remembered_audience(g.viewer).slugs | {"group": request.args.get("group", "")}
    form, status = ScheduleForm(formdata=None, data={"quote": quoted_id or "", **chosen}), 200
    try:
        if quoted_id:
            targets.load_quotable(db(), g.viewer.uid, quoted_id)
    except (NotFound, Forbidden) as refusal:
        form.text.errors, form.quote.data, status = [str(refusal.sentence)], "", refusal.status
    return _render_form(form), status


@bp.get(f"/statuses/new/<int(min=2, max={PARTS_MAX + 1}):number>")
def part(number: int) -> str:
    """Show an empty card for a further post of a thread: `number`, from 2. A script adds it."""
    return render_template("statuses/thread_part.html", part=ThreadPart(number - 2, number, {}))


@bp.post("/statuses")
@in_loop
@accepts_uploads(PICTURES_MAX)
def create() -> ResponseValue:
    """Post a status, or schedule it if its form has a time. If that fails, show the form again.

    A script that stays on the page gets JSON: the key of the next form with the ids and the first's
    page, or with the page of scheduled posts or drafts; or the reasons.
    """
    form = ScheduleForm()
    if not form.validate_on_submit():
        return _refusal(form), 422
    try:
        ids = post_or_save(form)
    except BadPicture as error:
        form.show_bad_picture(error)
        return _refusal(form), 422
    except (RateLimited, Unavailable, NotFound, Forbidden, Conflict) as refusal:
        form.show_refusal(refusal)
        wait = refusal.retry_after or (5 if isinstance(refusal, Unavailable) else 0)
        headers = {"Retry-After": str(wait)} if wait else {}
        return _refusal(form), refusal.status, headers
    remember_audience_of(form)
    return _posted(form, ids) if ids else _scheduled(form)


def _posted(form: ScheduleForm, ids: list[int]) -> ResponseValue:
    if not (form.reply_to_id or wants_json()):
        return redirect_back(url_for("timelines.home"))
    own_page = url_for("statuses.show", login=g.viewer.login, status_id=ids[0])
    if wants_json():
        texts = list(map(str, ids))
        return {"id": texts[0], "ids": texts, "url": own_page, "key": new_form_key()}, 201
    # A reply opens its own page: the list below its parent may show it a moment later.
    return redirect(f"{own_page}#status-{ids[0]}", 303)


def _scheduled(form: ScheduleForm) -> ResponseValue:
    flash(scheduled_notice(form))
    url = url_for("drafts.index" if form.in_review else "drafts.scheduled")
    return ({"url": url, "key": new_form_key()}, 201) if wants_json() else redirect(url, 303)


@bp.post("/statuses/weight")
def weight() -> dict[str, int]:
    """Return the weighed length of `text` and the limit, for the composer's counter."""
    weighed = parser.stored_weight(request.form.get("text", ""))
    return {"weight": weighed, "max": config().status_max}


@bp.get("/statuses")
@in_loop
@cached("ids", "permalink")
def several() -> str | Response:
    """Show the statuses of `ids` without a page, for an open page that adds them to itself.

    Without `ids`, lead to the front page: it has the form that posts to this address.
    `ids`: separated by commas; `id-uid` for a status as that member boosts it. `permalink`: the id
    whose own page asks. `in`: the context of filters.
    """
    if "ids" not in request.args:
        return redirect(url_for("timelines.index"), 303)
    raw_refs = request.args["ids"].split(",")
    refs = [ref for raw in raw_refs if (ref := by_ids.parse_ref(raw))]
    if len(refs) != len(raw_refs) or len(refs) > config().page_size:
        raise Invalid("bad_ids", _("Give valid post ids, at most one page of them."))
    items, state = by_ids.fetch(db(), dict(refs), viewer_uid())
    if len(items) == len(refs):  # otherwise a status may be on its way, and the page is not cached
        depends_on_members(uids_on_page(items))
    is_permalink = raw_refs == [request.args.get("permalink")]
    filter_context = "" if is_permalink else request.args.get("in", "")
    visible = without_filtered(Page(tuple(items)), filter_context).items
    return render_template(
        "statuses/by_ids.html",
        items=visible,
        viewer_state=db().read(complete(viewer_uid(), visible, state)),
        filter_context=filter_context,
        link=not is_permalink,
    )


def _views(requester: Requester, login: str, status_id: int) -> Read[int]:
    is_wanted = requester.uid or config().show_views == "everyone"
    return view_count(status_id) if is_wanted else constant(0)


@bp.get("/@<login>/<id:status_id>")
@in_loop
@prefetch(_views)
@cached("after", "sort")
def show(views: int, login: str, status_id: int) -> str | Response:
    """Show a status at its permanent address, with its thread."""
    after, viewer = request.args.get("after"), viewer_uid()
    cursor, filters, size = replies.parse_cursor(after), filters_for("thread"), replies_wanted()
    thread = in_wanted_order(threads.thread(db(), status_id, viewer, cursor, size, filters, votes))
    status = thread.status
    if response := canonical_redirect(status.author, login, after=after):
        return response
    depends_on_members(thread.uids)
    if viewer:  # pages for visitors are cached; their browsers report the posts they show
        note_opened(viewer, status)
    is_own = viewer == status.author.uid
    shown_views = views if config().show_views == "everyone" or is_own else 0
    # A thread is closed to its own author only where they have left its group.
    closed = "not_in_group" if is_own else REPLY_ERRORS.get(status.reply_policy, "")
    is_live = not after and not status.visibility.restricted  # no stream carries these
    stream = stream_for_thread(status_id) if is_live else None

    def render() -> str:
        return render_template(
            "statuses/show.html",
            status=status,
            thread=thread,
            views=shown_views,
            form=reply_form(status, g.viewer.login) if g.viewer else None,
            composer_key=placeholder("composer_key") if g.viewer and thread.can_reply else "",
            closed_reason=SENTENCES.get(closed),
            live_stream=stream,
        )

    fresh = {"position": thread.position, "composer_key": new_form_key()}
    return kept_page((thread, shown_views, is_live), render, fresh)


@bp.post("/statuses/<id:status_id>/delete")
@bp.delete("/statuses/<id:status_id>", endpoint="remove")
@rate_limited("post", "delete")
def delete(status_id: int) -> Response:
    """Delete the member's own status."""
    picture_names = store.delete(site(), g.viewer.uid, status_id)
    staging.discard(site(), g.viewer.uid, picture_names)
    flash(_("Post deleted."))
    own_page = url_for("statuses.show", login=g.viewer.login, status_id=status_id)
    return redirect_back(url_for("timelines.profile", login=g.viewer.login), gone=own_page)


def _refusal(form: PostForm) -> Body:
    """Return the form with its reasons, or the reasons alone for a script, which has the form."""
    return dict(form.reasons) if wants_json() else _render_form(form)


def _render_form(form: PostForm) -> str:
    return render_template("statuses/new.html", form=with_quote_preview(form))
