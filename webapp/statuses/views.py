"""Posting, deleting and looking at one status."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.quote_policy import parse_quote_policy as quoting_of
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.live.live_updates import stream_for_thread
from webapp.core.media.images import BadPicture
from webapp.core.store.ids import parse_id
from webapp.core.text import parser
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import Page
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
from .drafts.schedule_forms import ScheduleForm
from .filters.apply import filters_for, without_filtered
from .forms import BlankPostForm, PostForm, new_form_key
from .new_status import StatusOptions
from .quotes import store as quotes
from .quotes.quote_preview import with_quote_preview
from .rendering import render_statuses
from .threads import store as threads
from .visibility import targets
from .visibility.reply_policy import REPLY_ERRORS

bp = Blueprint("statuses", __name__)
bp.add_app_template_global(render_statuses)
bp.add_app_template_global(BlankPostForm, "blank_post_form")
bp.add_app_template_global(new_form_key, "new_form_key")


@bp.get("/statuses/new")
def new() -> str | tuple[str, int]:
    """A page to write on; with `quote`, about another status, where that may be."""
    quote = parse_id(request.args.get("quote", ""))
    form, status = ScheduleForm(formdata=None, data={"quote": quote or ""}), 200
    try:
        if quote:
            targets.load_quotable(db(), g.viewer.uid, quote)
    except (NotFound, Forbidden) as refusal:
        form.text.errors, form.quote.data, status = [str(refusal.sentence)], "", refusal.status
    return render_template("statuses/new.html", form=with_quote_preview(form)), status


@bp.post("/statuses")
@accepts_uploads(PICTURES_MAX)
def create() -> Response | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Posts a status; what cannot be posted comes back as it was written, with the reason."""
    form = PostForm()
    if not form.validate_on_submit():
        return render_template("statuses/new.html", form=with_quote_preview(form)), 422
    try:
        new_id = _post_status(form)
    except BadPicture as error:
        form.pictures.errors = [str(error.sentence)]
        return render_template("statuses/new.html", form=with_quote_preview(form)), 422
    except (RateLimited, Unavailable, NotFound, Forbidden, Conflict) as refusal:
        form.text.errors = [str(refusal.sentence)]
        wait = refusal.retry_after or (5 if isinstance(refusal, Unavailable) else 0)
        headers = {"Retry-After": str(wait)} if wait else {}
        return (
            render_template("statuses/new.html", form=with_quote_preview(form)),
            refusal.status,
            headers,
        )
    if (
        form.reply_to_id
    ):  # on its own page, below what it answers: the list below that may come a moment later
        return redirect(
            url_for("statuses.show", login=g.viewer.login, status_id=new_id) + f"#status-{new_id}",
            303,
        )
    return redirect(url_for("timelines.home"), 303)


@bp.post("/statuses/weight")
def weight() -> dict[str, int]:
    """How much a text counts, and how much may be posted: for the composer, which cannot know every domain."""
    content = request.form.get("text", "")
    counted = (
        len(content) if len(content) > parser.MAX_CODE_POINTS else parser.weight(content.strip())
    )
    return {"weight": counted, "max": config().status_max}


@bp.get("/statuses")
@public
@cached("ids", "own")
def several() -> str:
    """The statuses of `ids` (with commas between; `id-uid` as that member boosts it) as a page shows them, without the
    page: for what is added to one. `own`: the one whose own page asks, which shows that as nothing else does.
    """
    raw_refs = request.args.get("ids", "").split(",")
    refs = [one for text in raw_refs if (one := by_ids.parse_ref(text))]
    if len(refs) != len(raw_refs) or len(refs) > config().page_size:
        raise Invalid(
            "bad_ids", _("Ask for the posts by their numbers, and for no more than a page of them.")
        )
    viewer = g.viewer.uid if g.viewer else None
    items, state = by_ids.fetch(db(), dict(refs), viewer)
    if len(items) == len(refs):  # otherwise one may be on its way
        depends_on_members(quotes.uids_on_page(items))
    is_own = raw_refs == [request.args.get("own")]
    filter_context = "" if is_own else request.args.get("in", "")
    visible_items = without_filtered(Page(tuple(items)), filter_context).items
    state = quotes.with_quote_cards(db(), viewer, visible_items, state)
    return render_template(
        "statuses/by_ids.html",
        items=visible_items,
        viewer_state=state,
        filter_context=filter_context,
        link=not is_own,
    )


@bp.get("/@<login>/<status_id>")
@public
@cached("after")
def show(login: str, status_id: str) -> str | Response:
    """A status at its permanent address, with what it answers and what answers it."""
    parsed_id, after = parse_id(status_id), request.args.get("after")
    if parsed_id is None:
        abort(404)
    viewer = g.viewer.uid if g.viewer else None
    thread = threads.thread(
        db(),
        parsed_id,
        viewer,
        threads.parse_cursor(after),
        config().page_size,
        filters_for("thread"),
    )
    status = thread.status
    if status.author.login.lower() != login.lower():
        raise NotFound("no_status")
    if status.author.login != login:
        return redirect(
            url_for("statuses.show", login=status.author.login, status_id=parsed_id, after=after),
            301,
        )
    depends_on_members(thread.uids)
    form = PostForm.for_reply(status, g.viewer.login) if g.viewer else None
    closed_reason = SENTENCES.get(REPLY_ERRORS.get(status.reply_policy, ""))
    # What not everybody may see no stream tells of.
    feed = (
        None
        if after or status.visibility.restricted
        else stream_for_thread(parsed_id, thread.position)
    )
    return render_template(
        "statuses/show.html",
        status=status,
        thread=thread,
        form=form,
        closed_reason=closed_reason,
        feed=feed,
    )


@bp.post("/statuses/<status_id>/delete")
@bp.delete("/statuses/<status_id>", endpoint="remove")
def delete(status_id: str) -> Response:
    """Deletes one's own status."""
    parsed_id = parse_id(status_id)
    if parsed_id is None:
        abort(404)
    rate_limits.consume(db(), ("delete", str(g.viewer.uid), config().limit_post))
    picture_names = store.delete(db(), config(), g.viewer.uid, parsed_id)
    staging.discard(db(), config(), g.viewer.uid, picture_names)
    flash(_("Your post is deleted."))
    return redirect_back(url_for("timelines.profile", login=g.viewer.login))


@bp.post("/statuses/places/remove")
def remove_locations() -> Response:
    """Takes the places off all of one's own statuses."""
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    places.remove_locations(db(), config(), g.viewer.uid)
    flash(_("The places are removed from your posts."))
    return redirect(url_for("settings.edit_profile"), 303)


def _post_status(form: PostForm) -> int:
    """Posts what a valid form says, and returns its id. Raises BadPicture, and what posting does."""
    uid = g.viewer.uid
    if form.pictures.data:
        rate_limits.consume(db(), ("pictures", str(uid), config().limit_pictures))
    pictures = staging.stage(db(), config(), uid, form.pictures.data)
    args = (form.parsed, form.key.data, form.parsed_place, config().limit_post)
    options = StatusOptions(
        reply=form.reply_to_id,
        answerers=form.reply_policy,
        cw=form.cw.data,
        pictures=pictures,
        poll=form.poll,
    )
    options["quote"], options["quoting"] = form.quoted_id, quoting_of(form.quoting.data)
    options["visibility"] = form.chosen_visibility
    try:
        return store.post(db(), config(), uid, *args, **options)
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # after which it may have been posted all the same
            staging.discard(db(), config(), uid, [picture.name for picture in pictures])
        raise
