"""Drafts, and posts that wait for their time: pages of one's own."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..errors import Conflict, NotFound, RateLimited, Unavailable
from ..forms import PICTURES_MAX
from ..security import back, takes_pictures, unkept
from . import drafts
from .composing import with_card
from .forms import KEY, PostForm
from .later_forms import LaterForm

bp = Blueprint("drafts", __name__)
Answer = Response | tuple[str, int]


@bp.get("/drafts")
def index() -> FlaskResponse:
    """One's own drafts."""
    return _list()


@bp.get("/scheduled")
def scheduled() -> FlaskResponse:
    """One's own posts that wait for their time."""
    return _list()


@bp.get("/drafts/<form_key>")
def edit(form_key: str) -> FlaskResponse:
    """A draft as it was left, to be posted, changed or given a time."""
    draft = drafts.get(db(), g.viewer.uid, _known(form_key))
    at = f"{draft.due:%Y-%m-%dT%H:%M}" if draft.due else ""
    form = LaterForm(formdata=None, data={**draft.fields, "key": form_key, "at": at})
    return unkept(render_template("drafts/edit.html", form=with_card(form), draft=draft, focus=True))


@bp.post("/drafts")
@takes_pictures(PICTURES_MAX)
def save() -> Answer:
    """Keeps what is written, whatever it is, as a draft; no pictures."""
    form = PostForm()
    if not (form.text.data or "").strip():
        form.text.errors = [_("Write something first.")]
        return render_template("statuses/new.html", form=with_card(form)), 422
    said = _("Your draft is kept, without its pictures. Add them when you post it.") if form.pictures.data else ""
    return _save(form, None) or _told("index", said or _("Your draft is kept."))


@bp.post("/drafts/schedule")
@takes_pictures(PICTURES_MAX)
def schedule() -> Answer:
    """Keeps what is written, to be posted at a time."""
    form = LaterForm()
    if not form.validate_on_submit():
        return _again(form, 422)
    return _save(form, form) or _told("scheduled", _("It will be posted when its time comes."))


@bp.post("/drafts/<form_key>/delete")
@bp.delete("/drafts/<form_key>", endpoint="remove")
def delete(form_key: str) -> Response:
    """Deletes a draft."""
    drafts.drop(db(), g.viewer.uid, _known(form_key))
    flash(_("The draft is deleted."))
    return back(url_for("drafts.index"))


def _list() -> FlaskResponse:
    waiting, others = drafts.listed(db(), g.viewer.uid)
    return unkept(render_template("drafts/index.html", waiting=waiting, drafts=others))


def _save(form: PostForm, later: LaterForm | None) -> Answer | None:
    """Keeps the fields of a form; the page with the form again when that cannot be."""
    fields = {name: request.form.get(name, "").strip() for name in drafts.FIELDS}
    try:
        limits.take(db(), ("draft", str(g.viewer.uid), config().limit_draft))
        drafts.save(db(), config(), g.viewer.uid, form.key.data, fields, later.due if later else None)
    except (RateLimited, Conflict, Unavailable) as refusal:
        form.text.errors = [str(refusal.sentence)]
        return _again(form, refusal.status)
    return None


def _again(form: PostForm, status: int) -> Answer:
    if not isinstance(form, LaterForm):
        return render_template("statuses/new.html", form=with_card(form)), status
    return render_template("drafts/edit.html", form=with_card(form), draft=None, focus=True), status


def _known(form_key: str) -> str:
    if not KEY.match(form_key):
        raise NotFound("no_draft")
    return form_key


def _told(page: str, sentence: str) -> Response:
    flash(sentence)
    return redirect(url_for(f"drafts.{page}"), 303)
