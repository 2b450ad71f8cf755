"""Posting, deleting and looking at one status."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits, media, text
from ..accounts.quoting import of_word as quoting_of
from ..app import config, db
from ..errors import SENTENCES, Conflict, Forbidden, Invalid, NotFound, RateLimited, Refused, Unavailable
from ..forms import PICTURES_MAX
from ..ids import parse_id
from ..live import listening_thread
from ..paging import Page
from ..security import back, public, takes_pictures
from ..visitors import cached, shows
from . import aims, asked, places, quotes, store, threads, uploads
from .answerers import REFUSALS
from .composing import with_card
from .forms import BlankForm, PostForm, new_key
from .later_forms import LaterForm
from .said import Said
from .showing import articles
from .sieving import sieve, sieved

bp = Blueprint("statuses", __name__)
bp.add_app_template_global(articles)
bp.add_app_template_global(BlankForm, "blank_post_form")
bp.add_app_template_global(new_key, "new_form_key")


@bp.get("/statuses/new")
def new() -> str | tuple[str, int]:
    """A page to write on; with `quote`, about another status, where that may be."""
    quote = parse_id(request.args.get("quote", ""))
    form, status = LaterForm(formdata=None, data={"quote": quote or ""}), 200
    try:
        if quote:
            aims.quotable(db(), g.viewer.uid, quote)
    except (NotFound, Forbidden) as refusal:
        form.text.errors, form.quote.data, status = [str(refusal.sentence)], "", refusal.status
    return render_template("statuses/new.html", form=with_card(form)), status


@bp.post("/statuses")
@takes_pictures(PICTURES_MAX)
def create() -> Response | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Posts a status; what cannot be posted comes back as it was written, with the reason."""
    form = PostForm()
    if not form.validate_on_submit():
        return render_template("statuses/new.html", form=with_card(form)), 422
    try:
        made = _post(form)
    except media.BadPicture as bad:
        form.pictures.errors = [str(bad.sentence)]
        return render_template("statuses/new.html", form=with_card(form)), 422
    except (RateLimited, Unavailable, NotFound, Forbidden, Conflict) as refusal:
        form.text.errors = [str(refusal.sentence)]
        wait = refusal.retry_after or (5 if isinstance(refusal, Unavailable) else 0)
        headers = {"Retry-After": str(wait)} if wait else {}
        return render_template("statuses/new.html", form=with_card(form)), refusal.status, headers
    if form.answered:  # on its own page, below what it answers: the list below that may come a moment later
        return redirect(url_for("statuses.show", login=g.viewer.login, status_id=made) + f"#status-{made}", 303)
    return redirect(url_for("timelines.home"), 303)


@bp.post("/statuses/weight")
def weight() -> dict[str, int]:
    """How much a text counts, and how much may be posted: for the composer, which cannot know every domain."""
    words = request.form.get("text", "")
    counted = len(words) if len(words) > text.MAX_CODE_POINTS else text.weight(words.strip())
    return {"weight": counted, "max": config().status_max}


@bp.get("/statuses")
@public
@cached("ids", "own")
def several() -> str:
    """The statuses of `ids` (with commas between; `id-uid` as that member boosts it) as a page shows them, without the
    page: for what is added to one. `own`: the one whose own page asks, which shows that as nothing else does.
    """
    given = request.args.get("ids", "").split(",")
    numbers = [one for text in given if (one := asked.parse_asked(text))]
    if len(numbers) != len(given) or len(numbers) > config().page_size:
        raise Invalid("bad_ids", _("Ask for the posts by their numbers, and for no more than a page of them."))
    viewer = g.viewer.uid if g.viewer else None
    items, acts = asked.items(db(), dict(numbers), viewer)
    if len(items) == len(numbers):  # otherwise one may be on its way
        shows(quotes.uids_of(items))
    own = given == [request.args.get("own")]
    where = "" if own else request.args.get("in", "")
    found = sieved(Page(tuple(items)), where).items
    acts = quotes.with_cards(db(), viewer, found, acts)
    return render_template("statuses/several.html", items=found, acts=acts, where=where, link=not own)


@bp.get("/@<login>/<status_id>")
@public
@cached("after")
def show(login: str, status_id: str) -> str | Response:
    """A status at its permanent address, with what it answers and what answers it."""
    number, after = parse_id(status_id), request.args.get("after")
    if number is None:
        abort(404)
    viewer = g.viewer.uid if g.viewer else None
    thread = threads.thread(db(), number, viewer, threads.parse_cursor(after), config().page_size, sieve("thread"))
    status = thread.status
    if status.author.login.lower() != login.lower():
        raise NotFound("no_status")
    if status.author.login != login:
        return redirect(url_for("statuses.show", login=status.author.login, status_id=number, after=after), 301)
    shows(thread.uids)
    form = PostForm.to_answer(status, g.viewer.login) if g.viewer else None
    closed = SENTENCES.get(REFUSALS.get(status.answerers, ""))
    # What not everybody may see no stream tells of.
    feed = None if after or status.visibility.limited else listening_thread(number, thread.position)
    return render_template("statuses/show.html", status=status, thread=thread, form=form, closed=closed, feed=feed)


@bp.post("/statuses/<status_id>/delete")
@bp.delete("/statuses/<status_id>", endpoint="remove")
def delete(status_id: str) -> Response:
    """Deletes one's own status."""
    number = parse_id(status_id)
    if number is None:
        abort(404)
    limits.take(db(), ("delete", str(g.viewer.uid), config().limit_post))
    names = store.delete(db(), config(), g.viewer.uid, number)
    uploads.discard(db(), config(), g.viewer.uid, names)
    flash(_("Your post is deleted."))
    return back(url_for("timelines.profile", login=g.viewer.login))


@bp.post("/statuses/places/remove")
def scrub() -> Response:
    """Takes the places off all of one's own statuses."""
    limits.take(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    places.scrub(db(), config(), g.viewer.uid)
    flash(_("The places are removed from your posts."))
    return redirect(url_for("settings.edit_profile"), 303)


def _post(form: PostForm) -> int:
    """Posts what a valid form says, and returns its id. Raises BadPicture, and what posting does."""
    uid = g.viewer.uid
    if form.pictures.data:
        limits.take(db(), ("pictures", str(uid), config().limit_pictures))
    pictures = uploads.keep(db(), config(), uid, form.pictures.data)
    written = (form.parsed, form.key.data, form.where, config().limit_post)
    said = Said(reply=form.answered, answerers=form.repliers, cw=form.cw.data, pictures=pictures, poll=form.poll)
    said["quote"], said["quoting"] = form.quoted, quoting_of(form.quoting.data)
    said["visibility"] = form.audience
    try:
        return store.post(db(), config(), uid, *written, **said)
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # after which it may have been posted all the same
            uploads.discard(db(), config(), uid, [picture.name for picture in pictures])
        raise
