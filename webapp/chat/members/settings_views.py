"""Change and delete a group chat, for its owners."""

from typing import Any

from flask import flash, g, redirect, render_template
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.chat import reading
from webapp.chat.cleanup import removed_if_refused
from webapp.chat.models import Chat
from webapp.chat.web import ViewResponse, chat_blueprint, chat_url
from webapp.core.errors import Forbidden, RateLimited
from webapp.core.media import storage as media
from webapp.core.media.decoding import BadPicture
from webapp.core.web import accepts_uploads, config, consume_for_viewer, db, site
from webapp.core.web.redirects import declare_act

from . import group_chats
from .forms import SettingsForm
from .page import require_group_chat

bp = chat_blueprint("chat_settings", __name__)
TEXT_FIELDS = ("name", "topic", "kind", "shared", "retention")
DELETED = _l("The group chat and all its messages were deleted.")
declare_act(bp, "/<cid:cid>/delete", group_chats.delete, "chats.index", "chat", said=DELETED)


@bp.route("/<cid:cid>/settings", methods=["GET", "POST"])
@accepts_uploads(1)
def edit(cid: str) -> ViewResponse:
    """Show and change a group chat's name, picture and settings."""
    chat_page = db().read(reading.open_chat(g.viewer.uid, cid))
    require_group_chat(chat_page)
    if not chat_page.is_owner:
        raise Forbidden("only_owners")
    chat = chat_page.chat
    form = SettingsForm.from_chat(chat)
    try:
        if form.is_accepted():
            consume_for_viewer("chat")
            fields = _changed_fields(chat, form)
            with removed_if_refused(config(), [fields.get("picture", "")]):
                group_chats.change(site(), g.viewer.uid, cid, **fields)
            flash(_("Settings saved."))
            return redirect(chat_url(cid), 303)
    except BadPicture as refusal:
        form.refuse(refusal, "picture")
    except RateLimited as refusal:
        form.refuse(refusal, "name")
    page = render_template("chat/settings.html", chat=chat, form=form)
    return page, form.http_status, form.http_headers


def _changed_fields(chat: Chat, form: SettingsForm) -> dict[str, Any]:
    """Return the fields to store, after storing a new picture. Raises BadPicture."""
    fields = {name: form[name].data for name in TEXT_FIELDS if name in form}
    if form.picture.data:
        stream, crop = form.picture.data.stream, form.picture.crop
        fields["picture"] = media.save_chat_avatar(config(), chat.id, stream, crop)
    elif form.remove_picture.data:
        fields["picture"] = ""
    return fields
