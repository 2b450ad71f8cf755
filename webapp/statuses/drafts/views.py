"""A member's drafts and scheduled posts."""

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask.wrappers import Response as FlaskResponse
from flask_babel import gettext as _

from webapp.core.errors import Conflict, NotFound, RateLimited, Unavailable
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.forms.idempotency import KEY_PATTERN
from webapp.core.media.decoding import BadPicture
from webapp.core.media.signatures import current_signer
from webapp.core.web import Response, accepts_uploads, db, done, no_store_page, redirect_back, site
from webapp.core.web.redirects import ViewResponse
from webapp.statuses.attachments import staging
from webapp.statuses.compose.posting import with_quote_preview

from . import store as drafts
from .saving import keep_form, save_form
from .schedule_forms import TIME_FORMAT, ScheduleForm

bp = Blueprint("drafts", __name__)


@bp.get("/drafts")
@bp.get("/scheduled", endpoint="scheduled")
def index() -> FlaskResponse:
    """Show the member's drafts, or their scheduled posts."""
    scheduled_drafts, unscheduled = drafts.list_all(db(), g.viewer.uid)
    return no_store_page(
        render_template(
            "statuses/drafts/index.html",
            scheduled_drafts=scheduled_drafts,
            drafts=unscheduled,
            signer=current_signer(),
        )
    )


@bp.get("/drafts/<form_key>")
def edit(form_key: str) -> FlaskResponse:
    """Show a draft in a form, to post, save or schedule it."""
    draft = drafts.get(db(), g.viewer.uid, _form_key_or_404(form_key))
    first, *more = draft.posts
    data = {**first, "key": form_key, "more": more}
    if draft.due:
        data["at"] = f"{draft.due:{TIME_FORMAT}}"
    form = ScheduleForm(formdata=None, data=data)
    if "another" in request.args:
        form.add_part()
    return no_store_page(
        render_template(
            "statuses/drafts/edit.html", form=with_quote_preview(form), draft=draft, focus=True
        )
    )


@bp.post("/drafts")
@accepts_uploads(PICTURES_MAX)
def save() -> ViewResponse:
    """Save a form as a draft, valid or not. Its pictures must be valid.

    It is not scheduled, or no longer, but keeps the time that its writer chose.
    """
    form = ScheduleForm()
    if form.is_blank and "to_groups" in request.form:
        chosen = form.group.data or None
        return redirect(url_for("statuses.new", to_groups=1, group=chosen), 303)
    if form.is_blank:
        form.text.errors = [_("Write something first.")]
        return _render_form(form, 422)
    if not all(part.has_valid_pictures() for part in form.posts):
        return _render_form(form, 422)
    try:
        save_form(form, None)
    except BadPicture as error:
        form.show_bad_picture(error)
        return _render_form(form, 422)
    except (RateLimited, Conflict, Unavailable) as refusal:
        form.show_refusal(refusal)
        return _render_form(form, refusal.status)
    for name in ("another", "to_groups"):  # nothing is lost, pictures and the time neither
        if name in request.form:
            page = url_for("drafts.edit", form_key=form.key.data)
            return redirect(f"{page}?{name}=1", 303)
    return done(_("Draft saved."), "drafts.index")


@bp.post("/drafts/automatic")
def keep() -> dict[str, bool]:
    """Keep what is being written as a draft, for a script. `saved`: False if it is none now."""
    return {"saved": keep_form(ScheduleForm())}


@bp.post("/drafts/<form_key>/delete")
@bp.delete("/drafts/<form_key>", endpoint="remove")
def delete(form_key: str) -> Response:
    """Delete a draft."""
    picture_names = drafts.delete(db(), g.viewer.uid, _form_key_or_404(form_key))
    staging.discard(site(), g.viewer.uid, picture_names)
    flash(_("Draft deleted."))
    return redirect_back(url_for("drafts.index"))


def _render_form(form: ScheduleForm, status: int) -> ViewResponse:
    return render_template(
        "statuses/drafts/edit.html", form=with_quote_preview(form), draft=None, focus=True
    ), status


def _form_key_or_404(form_key: str) -> str:
    if not KEY_PATTERN.match(form_key):
        raise NotFound("no_draft")
    return form_key
