"""The page on which a member writes a private note about another."""

from functools import partial

from flask import Blueprint, g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import TextAreaField

from webapp.core.forms.fields import Form, cleaned, normalize_text
from webapp.core.web import Response, db, done, private_page

from .store import NOTE_MAX, load_note, save_note

bp = Blueprint("notes", __name__)


@bp.route("/@<login:login>/note", methods=["GET", "POST"])
def edit(login: str) -> Response:
    """Save the viewer's note about a member, or remove it if it is left empty."""
    form, save = NoteForm(), partial(save_note, db(), g.viewer.uid, login)
    if form.carry_out(lambda: save(form.note.data), "follow", field="note"):
        said = _("Note saved.") if form.note.data else _("Note removed.")
        return done(said, "timelines.profile", login=form.outcome.login)
    member, text = load_note(db(), g.viewer.uid, login)
    if not form.is_submitted():
        form.note.data = text
    return private_page("following/note.html", form.http_status, form=form, member=member)


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
