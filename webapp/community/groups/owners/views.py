"""The pages of those who run a group: its settings, requests to join, and members' places."""

from flask import Blueprint, Response as FlaskResponse, flash, g, redirect, request, url_for
from flask_babel import gettext as _

from webapp.community.groups import chat, lookup, store
from webapp.community.groups.forms import CloseForm, SettingsForm
from webapp.community.groups.models import Group
from webapp.community.groups.views import gid_read
from webapp.core.bans.texts import check_texts
from webapp.core.errors import Forbidden, RefusedText
from webapp.core.media import storage as media
from webapp.core.media.decoding import BadPicture
from webapp.core.web import Response, accepts_uploads, done, prefetch, private_page, rate_limited
from webapp.core.web.context import config, db, site
from webapp.reports.category import LABELS

from .acts import declare_acts
from .reports import reported_posts

bp = Blueprint("group_owners", __name__)
declare_acts(bp)
LISTED_MAX = 100  # requests, or banned members, that a page shows


@bp.route("/groups/<slug>/settings", methods=["GET", "POST"])
@prefetch(gid_read)
@accepts_uploads(1)
def settings(gid: int, slug: str) -> Response:
    """Change a group, as one of its owners."""
    group, form = _own_group(gid), SettingsForm()
    if not form.is_submitted():
        return _render_settings(group)

    def save() -> None:
        texts = (form.name.data, form.about.data, form.rules.data)
        check_texts(config(), *texts)
        picture = _picture(gid, form)
        store.edit(site(), g.viewer.uid, gid, *texts, form.voting.data, picture)

    try:
        if form.carry_out(save, "edit", refusals=RefusedText):
            return done(_("Group saved."), "groups.show", slug=slug)
    except BadPicture as refusal:
        form.refuse(refusal, "picture")
    return _render_settings(group, form)


def _picture(gid: int, form: SettingsForm) -> str | None:
    """Store an uploaded picture. Return its name, "" to remove the present one, or None.

    Raises BadPicture, Unavailable.
    """
    if upload := form.picture.data:
        folder, crop = f"groups/{gid}", form.picture.crop
        return media.save(config(), folder, "avatar", upload.stream, crop)
    return "" if form.remove_picture.data else None


@bp.post("/groups/<slug>/settings/chat")
@prefetch(gid_read)
@rate_limited("edit")
def set_chat(gid: int, slug: str) -> Response:
    """Give a group a chat, or delete the one that it has: `chat` is start or delete."""
    _own_group(gid)
    if request.form.get("chat") == "delete":
        chat.delete(site(), g.viewer.uid, gid)
        flash(_("The chat and all its messages were deleted."))
    else:
        chat.start(site(), g.viewer.uid, gid)
        flash(_("The group has a chat now. Its members can enter it."))
    return redirect(url_for("group_owners.settings", slug=slug), 303)


@bp.post("/groups/<slug>/close")
@prefetch(gid_read)
@rate_limited("edit")
def close(gid: int, slug: str) -> Response:
    """Close a group for good, once its name is typed."""
    group, form = _own_group(gid), CloseForm()
    if not form.confirms(group.name):
        return _render_settings(group, close_form=form)
    store.close(site(), g.viewer.uid, gid)
    return done(_("Group closed."), "groups.index")


@bp.get("/groups/<slug>/requests")
@prefetch(gid_read)
def requests(gid: int, slug: str) -> FlaskResponse:
    """Show who asks to join a group, and who may not come back, to its owners."""
    group = _own_group(gid)
    return private_page(
        "groups/requests.html",
        group=group,
        current="requests",
        asking=lookup.asking(db(), gid, LISTED_MAX),
        banned=lookup.banned(db(), gid, LISTED_MAX),
    )


@bp.get("/groups/<slug>/reports")
@prefetch(gid_read)
def reports(gid: int, slug: str) -> FlaskResponse:
    """Show the reports of posts in a group that its owners may answer."""
    group = _own_group(gid)
    return private_page(
        "groups/reports.html",
        group=group,
        current="reports",
        posts=reported_posts(site(), gid),
        labels=LABELS,
    )


@bp.post("/groups/<slug>/step-down")
@prefetch(gid_read)
@rate_limited("follow")
def step_down(gid: int, slug: str) -> Response:
    """Stop being an owner."""
    store.set_owner(site(), g.viewer.uid, gid, g.viewer.uid, is_owner=False)
    return done(_("You’re no longer an owner."), "groups.members", slug=slug)


def _own_group(gid: int) -> Group:
    """Return a group that the member owns. One trip. Raises NotFound, Forbidden."""
    group = db().read(lookup.group(gid, g.viewer.uid))
    if not group.is_owner:
        raise Forbidden("only_group_owners")
    return group


def _render_settings(
    group: Group, form: SettingsForm | None = None, close_form: CloseForm | None = None
) -> FlaskResponse:
    stored = {name: getattr(group, name) for name in ("name", "about", "rules", "voting")}
    form = form or SettingsForm(formdata=None, data=stored)
    close_form = close_form or CloseForm(formdata=None)
    status = max(form.http_status, close_form.http_status)
    return private_page(
        "groups/settings.html", status, group=group, form=form, close_form=close_form
    )
