"""The pages of a member's bookmarks and their folders."""

from functools import partial
from typing import Any

from flask import Blueprint, flash, g, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import StringField

from webapp.core.forms.fields import Form, normalize_name, ticked_numbers
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, config, cursor, db, no_store, prefetch, site
from webapp.core.web.redirects import ViewResponse, declare_act, done, redirect_back
from webapp.statuses.interactions.bookmarks import bookmarks_page, newest_bookmarks
from webapp.statuses.listings.scored_ids import ScoredIds
from webapp.statuses.permalinks import canonical_redirect
from webapp.statuses.store import get

from . import store
from .store import Folder

bp = Blueprint("folders", __name__)
bp.after_request(no_store)  # nobody else sees these pages
NAME_MAX = 50  # characters of a folder's name
DELETE = "/bookmarks/folders/<id:number>/delete"
DELETED = _l("Folder deleted. Its posts are still among your bookmarks.")
declare_act(bp, DELETE, store.delete, "folders.bookmarks", "edit", takes=db, said=DELETED)
Folders = tuple[Folder, ...]


def _folders(requester: Requester, **_arguments: object) -> Read[Folders]:
    return store.folders_of(requester.uid or 0)


def _bookmarks(requester: Requester) -> Read[tuple[ScoredIds, Folders]]:
    newest = newest_bookmarks(requester.uid or 0, cursor(), config().page_size)
    return gather(newest, _folders(requester))


def _folder(requester: Requester, number: int) -> Read[tuple[Folder, ScoredIds]]:
    return store.newest_in_folder(requester.uid or 0, number, cursor(), config().page_size)


@bp.get("/bookmarks")
@prefetch(_bookmarks)
def bookmarks(found: tuple[ScoredIds, Folders]) -> Response:
    """Show the member's folders, and all bookmarks, newest first."""
    ids, folders = found
    page = bookmarks_page(db(), g.viewer.uid, cursor(), config().page_size, ids)
    return render_kept("statuses/folders/bookmarks.html", page=page, folders=folders)


@bp.get("/bookmarks/folders/<id:number>")
@prefetch(_folder)
def show(found: tuple[Folder, ScoredIds], number: int) -> Response:
    """Show the posts in a folder, added last first."""
    folder, ids = found
    page = store.folder_page(db(), g.viewer.uid, number, ids, config().page_size)
    return render_kept("statuses/folders/show.html", page=page, folder=folder)


@bp.route("/bookmarks/folders/<id:number>/edit", methods=["GET", "POST"])
def edit(number: int) -> ViewResponse:
    """Rename a folder."""
    folder = db().read(store.get_folder(g.viewer.uid, number))
    form = FolderForm(name=folder.name)
    rename = partial(store.rename, db(), g.viewer.uid, number)
    if form.carry_out(lambda: rename(form.name.data), "edit", field="name"):
        return done(_("Folder saved."), "folders.show", number=number)
    return form.render("statuses/folders/edit.html", folder=folder)


@bp.route("/@<login>/<id:status_id>/folders", methods=["GET", "POST"])
@prefetch(_folders)
def choose(folders: Folders, login: str, status_id: int) -> ViewResponse:
    """Put a post into the folders that are ticked and a new one, and take it out of the others."""
    found = get(db(), status_id, g.viewer.uid)
    if response := canonical_redirect(found.author, login):
        return response
    form, choices = FolderForm(is_optional=True), ticked_numbers("folders")
    chosen = {number for number, add in choices.items() if add}
    if request.method != "POST":
        chosen = store.numbers_with(db(), g.viewer.uid, status_id, folders)
    sort = partial(store.sort, site(), g.viewer.uid, status_id, choices)
    if form.carry_out(lambda: sort(form.name.data), "like", field="name"):
        flash(_("Bookmark saved.") if chosen or form.name.data else _("Folders saved."))
        return redirect_back(url_for("statuses.show", login=login, status_id=status_id))
    return form.render("statuses/folders/choose.html", status=found, folders=folders, chosen=chosen)


class FolderForm(Form):
    """The name of a folder. `is_optional`: it may be left empty."""

    name = StringField(_l("Folder name"), render_kw={"autocomplete": "off"})

    def __init__(self, *args: Any, is_optional: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_optional = is_optional
        if is_optional:
            self.name.label.text = _("New folder")
        self.name.description = _("At most %(num)d characters.", num=NAME_MAX)

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        if self.is_optional and not (field.data or "").strip():
            field.data = ""
        else:
            field.data = normalize_name(field.data, NAME_MAX, _("Give the folder a name."))
