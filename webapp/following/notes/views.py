"""The page on which a member writes a private note about another."""

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import TextAreaField

from webapp.core.forms.fields import Form, cleaned, normalize_text
from webapp.core.web import Response, consume_for_viewer, db, no_store_page

from .store import NOTE_MAX, load_note, save_note

bp = Blueprint("notes", __name__)


@bp.get("/@<login:login>/note")
def edit(login: str) -> Response:
    """Show the form of the viewer's note about a member."""
    member, text = load_note(db(), g.viewer.uid, login)
    form = NoteForm(formdata=None, data={"note": text})
    return no_store_page(render_template("following/note.html", form=form, member=member))


@bp.post("/@<login:login>/note")
def save(login: str) -> Response | tuple[Response, int]:
    """Save the viewer's note about a member, or remove it if it is empty."""
    form = NoteForm()
    if not form.validate_on_submit():
        member, _text = load_note(db(), g.viewer.uid, login)
        page = render_template("following/note.html", form=form, member=member)
        return no_store_page(page), 422
    consume_for_viewer("follow")
    member = save_note(db(), g.viewer.uid, login, form.note.data)
    flash(_("Note saved.") if form.note.data else _("Note removed."))
    return redirect(url_for("timelines.profile", login=member.login), 303)


class NoteForm(Form):
    """A note about a member."""

    note = TextAreaField(
        _l("Note"),
        [cleaned(normalize_text, NOTE_MAX)],
        description=_l(
            "At most %(num)d characters. To remove the note, leave this empty.", num=NOTE_MAX
        ),
        render_kw={"rows": "4"},
    )
