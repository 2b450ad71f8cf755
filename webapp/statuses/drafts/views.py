"""A member's drafts and scheduled posts."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.web.context import config, db
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import accepts_uploads
from webapp.errors import Conflict, NotFound, RateLimited, Unavailable
from webapp.statuses.compose.forms import FORM_KEY_PATTERN, PostForm
from webapp.statuses.compose.quote_preview import with_quote_preview

from . import store as drafts
from .schedule_forms import ScheduleForm

bp = Blueprint("drafts", __name__)
ResponseValue = Response | tuple[str, int]


@bp.get("/drafts")
def index() -> FlaskResponse:
    """Show the member's drafts."""
    return _render_list()


@bp.get("/scheduled")
def scheduled() -> FlaskResponse:
    """Show the member's scheduled posts."""
    return _render_list()


@bp.get("/drafts/<form_key>")
def edit(form_key: str) -> FlaskResponse:
    """Show a draft in a form, to post, save or schedule it."""
    draft = drafts.get(db(), g.viewer.uid, _form_key_or_404(form_key))
    scheduled_for = f"{draft.due:%Y-%m-%dT%H:%M}" if draft.due else ""
    form = ScheduleForm(formdata=None, data={**draft.fields, "key": form_key, "at": scheduled_for})
    return no_store_page(
        render_template(
            "statuses/drafts/edit.html", form=with_quote_preview(form), draft=draft, focus=True
        )
    )


@bp.post("/drafts")
@accepts_uploads(PICTURES_MAX)
def save() -> ResponseValue:
    """Save a form as a draft, valid or not, without its pictures."""
    form = PostForm()
    if not (form.text.data or "").strip():
        form.text.errors = [_("Write something first.")]
        return render_template("statuses/new.html", form=with_quote_preview(form)), 422
    notice = (
        _("Draft saved without its pictures. Add them when you post it.")
        if form.pictures.data
        else ""
    )
    return _save_or_error(form, None) or _redirect_with_notice("index", notice or _("Draft saved."))


@bp.post("/drafts/schedule")
@accepts_uploads(PICTURES_MAX)
def schedule() -> ResponseValue:
    """Schedule a valid form."""
    form = ScheduleForm()
    if not form.validate_on_submit():
        return _render_form(form, 422)
    return _save_or_error(form, form) or _redirect_with_notice(
        "scheduled", _("Your post is scheduled.")
    )


@bp.post("/drafts/<form_key>/delete")
@bp.delete("/drafts/<form_key>", endpoint="remove")
def delete(form_key: str) -> Response:
    """Delete a draft."""
    drafts.delete(db(), g.viewer.uid, _form_key_or_404(form_key))
    flash(_("Draft deleted."))
    return redirect_back(url_for("drafts.index"))


def _render_list() -> FlaskResponse:
    scheduled_drafts, unscheduled = drafts.list_all(db(), g.viewer.uid)
    return no_store_page(
        render_template(
            "statuses/drafts/index.html", scheduled_drafts=scheduled_drafts, drafts=unscheduled
        )
    )


def _save_or_error(form: PostForm, schedule_form: ScheduleForm | None) -> ResponseValue | None:
    """Save the fields of a form. Return the page with the form if they cannot be saved."""
    fields = {name: request.form.get(name, "").strip() for name in drafts.FIELDS}
    try:
        consume_for_viewer("draft")
        drafts.save(
            db(),
            config(),
            g.viewer.uid,
            form.key.data,
            fields,
            schedule_form.due if schedule_form else None,
        )
    except (RateLimited, Conflict, Unavailable) as refusal:
        form.text.errors = [str(refusal.sentence)]
        return _render_form(form, refusal.status)
    return None


def _render_form(form: PostForm, status: int) -> ResponseValue:
    if not isinstance(form, ScheduleForm):
        return render_template("statuses/new.html", form=with_quote_preview(form)), status
    return render_template(
        "statuses/drafts/edit.html", form=with_quote_preview(form), draft=None, focus=True
    ), status


def _form_key_or_404(form_key: str) -> str:
    if not FORM_KEY_PATTERN.match(form_key):
        raise NotFound("no_draft")
    return form_key


def _redirect_with_notice(view: str, message: str) -> Response:
    flash(message)
    return redirect(url_for(f"drafts.{view}"), 303)
