"""Posting, deleting and reading statuses."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.quote_policy import parse_quote_policy
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.live.live_updates import stream_for_thread
from webapp.core.media.images import BadPicture
from webapp.core.store.ids import parse_id
from webapp.core.text import parser
from webapp.core.web.context import config, db
from webapp.core.web.pagination import Page
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.core.web.redirects import redirect_back
from webapp.core.web.view_options import accepts_uploads, public
from webapp.errors import (
    SENTENCES,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    Refused,
    Unavailable,
)
from webapp.pagecache.decorators import cached, depends_on_members

from . import by_ids, store
from .attachments import places, staging
from .compose.forms import BlankPostForm, PostForm, new_form_key
from .compose.new_status import StatusOptions
from .compose.quote_preview import with_quote_preview
from .drafts.schedule_forms import ScheduleForm
from .filters.apply import filters_for, without_filtered
from .hydration import complete
from .items import uids_on_page
from .rendering import render_statuses
from .threads import store as threads
from .threads.forms import reply_form
from .threads.permalinks import canonical_redirect
from .visibility import targets
from .visibility.reply_policy import REPLY_ERRORS

bp = Blueprint("statuses", __name__)
bp.add_app_template_global(render_statuses)
bp.add_app_template_global(BlankPostForm, "blank_post_form")
bp.add_app_template_global(new_form_key, "new_form_key")
ResponseValue = Response | tuple[str, int] | tuple[str, int, dict[str, str]]


@bp.get("/statuses/new")
def new() -> tuple[str, int]:
    """Show a form to write in. `quote`: the id of the status it is about."""
    quoted_id = parse_id(request.args.get("quote", ""))
    form = ScheduleForm(formdata=None, data={"quote": quoted_id or ""})
    try:
        if quoted_id:
            targets.load_quotable(db(), g.viewer.uid, quoted_id)
    except (NotFound, Forbidden) as refusal:
        form.text.errors, form.quote.data = [str(refusal.sentence)], ""
        return _render_form(form), refusal.status
    return _render_form(form), 200


@bp.post("/statuses")
@accepts_uploads(PICTURES_MAX)
def create() -> ResponseValue:
    """Post a status. If it cannot be, show the form again with the reason."""
    form = PostForm()
    if not form.validate_on_submit():
        return _render_form(form), 422
    try:
        status_id = _post_status(form)
    except BadPicture as error:
        form.pictures.errors = [str(error.sentence)]
        return _render_form(form), 422
    except (RateLimited, Unavailable, NotFound, Forbidden, Conflict) as refusal:
        form.text.errors = [str(refusal.sentence)]
        wait = refusal.retry_after or (5 if isinstance(refusal, Unavailable) else 0)
        headers = {"Retry-After": str(wait)} if wait else {}
        return _render_form(form), refusal.status, headers
    if not form.reply_to_id:
        return redirect(url_for("timelines.home"), 303)
    # A reply opens its own page: the list below its parent may show it a moment later.
    own_page = url_for("statuses.show", login=g.viewer.login, status_id=status_id)
    return redirect(f"{own_page}#status-{status_id}", 303)


@bp.post("/statuses/weight")
def weight() -> dict[str, int]:
    """Return the weighed length of `text` and the limit, for the composer's counter."""
    text = request.form.get("text", "")
    too_long = len(text) > parser.MAX_CODE_POINTS
    weighed = len(text) if too_long else parser.weight(text.strip())
    return {"weight": weighed, "max": config().status_max}


@bp.get("/statuses")
@public
@cached("ids", "own")
def several() -> str:
    """Show the statuses of `ids` without a page, for an open page that adds them to itself.

    `ids`: separated by commas; `id-uid` for a status as that member boosts it. `own`: the id whose
    own page asks. `in`: the context of filters.
    """
    raw_refs = request.args.get("ids", "").split(",")
    refs = [ref for raw in raw_refs if (ref := by_ids.parse_ref(raw))]
    if len(refs) != len(raw_refs) or len(refs) > config().page_size:
        raise Invalid("bad_ids", _("List the posts by id, at most one page of them."))
    viewer = g.viewer.uid if g.viewer else None
    items, state = by_ids.fetch(db(), dict(refs), viewer)
    if len(items) == len(refs):  # otherwise a status may be on its way, and the page is not cached
        depends_on_members(uids_on_page(items))
    is_own_page = raw_refs == [request.args.get("own")]
    filter_context = "" if is_own_page else request.args.get("in", "")
    visible = without_filtered(Page(tuple(items)), filter_context).items
    return render_template(
        "statuses/by_ids.html",
        items=visible,
        viewer_state=db().read(complete(viewer, visible, state)),
        filter_context=filter_context,
        link=not is_own_page,
    )


@bp.get("/@<login>/<id:status_id>")
@public
@cached("after")
def show(login: str, status_id: int) -> str | Response:
    """Show a status at its permanent address, with its thread."""
    after, viewer = request.args.get("after"), g.viewer.uid if g.viewer else None
    cursor, filters = threads.parse_cursor(after), filters_for("thread")
    thread = threads.thread(db(), status_id, viewer, cursor, config().page_size, filters)
    status = thread.status
    if response := canonical_redirect(status.author, login, after=after):
        return response
    depends_on_members(thread.uids)
    # Streams do not carry restricted statuses.
    is_live = not after and not status.visibility.restricted
    return render_template(
        "statuses/show.html",
        status=status,
        thread=thread,
        form=reply_form(status, g.viewer.login) if g.viewer else None,
        closed_reason=SENTENCES.get(REPLY_ERRORS.get(status.reply_policy, "")),
        feed=stream_for_thread(status_id, thread.position) if is_live else None,
    )


@bp.post("/statuses/<id:status_id>/delete")
@bp.delete("/statuses/<id:status_id>", endpoint="remove")
@rate_limited("post", "delete")
def delete(status_id: int) -> Response:
    """Delete the member's own status."""
    picture_names = store.delete(db(), config(), g.viewer.uid, status_id)
    staging.discard(db(), config(), g.viewer.uid, picture_names)
    flash(_("Post deleted."))
    return redirect_back(url_for("timelines.profile", login=g.viewer.login))


@bp.post("/statuses/places/remove")
@rate_limited("edit")
def remove_locations() -> Response:
    """Remove the locations of all the member's statuses."""
    places.remove_locations(db(), config(), g.viewer.uid)
    flash(_("Places removed from your posts."))
    return redirect(url_for("settings.edit_profile"), 303)


def _render_form(form: PostForm) -> str:
    return render_template("statuses/new.html", form=with_quote_preview(form))


def _post_status(form: PostForm) -> int:
    """Post a valid form and return the status's id. Raises BadPicture, and as `store.post`."""
    uid: int = g.viewer.uid
    if form.pictures.data:
        consume_for_viewer("pictures")
    pictures = staging.stage(db(), config(), uid, form.pictures.data)
    options = StatusOptions(
        reply=form.reply_to_id,
        answerers=form.reply_policy,
        cw=form.cw.data,
        pictures=pictures,
        poll=form.poll,
        quote=form.quoted_id,
        quoting=parse_quote_policy(form.quoting.data),
        visibility=form.chosen_visibility,
    )
    rate = config().limit_post
    try:
        return store.post(
            db(), config(), uid, form.parsed, form.key.data, form.parsed_place, rate, **options
        )
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # after which it may be posted all the same
            staging.discard(db(), config(), uid, [picture.name for picture in pictures])
        raise
