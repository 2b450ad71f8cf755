"""The page of a group chat's people and invitations."""

from flask import g, render_template

from webapp.autocomplete.picking.people import picker
from webapp.chat import reading
from webapp.chat.reading import ChatPage
from webapp.chat.web import ViewResponse
from webapp.core.errors import NotFound
from webapp.core.web import db

from . import invitations, membership
from .forms import InviteForm, PeopleForm


def render_people(
    cid: str,
    form: PeopleForm | None = None,
    invite_form: InviteForm | None = None,
    invite_url: str = "",
) -> ViewResponse:
    """Render the page, with invalid forms or a new invitation. Four trips.

    Raises NotFound, Forbidden.
    """
    form, invite_form = form or PeopleForm(), invite_form or InviteForm()
    chat_page, search = db().fetch(reading.open_chat(g.viewer.uid, cid), form.search())
    require_group_chat(chat_page)
    invites, people = invitations.list_active(cid), picker(g.viewer.uid, search)
    members = membership.list_members(db(), cid)
    active_invites, found_people = db().fetch(invites, people)
    html = render_template(
        "chat/members/index.html",
        chat=chat_page.chat,
        is_owner=chat_page.is_owner and not chat_page.chat.group_slug,
        may_invite=not chat_page.chat.group_slug
        and (chat_page.is_owner or chat_page.chat.kind != "announcement"),
        memberships=sorted(members, key=lambda member: not member.is_owner),
        owner_count=sum(member.is_owner for member in members),
        form=form,
        picker=found_people,
        invite_form=invite_form,
        invites=active_invites,
        new_link=invite_url,
    )
    status = 201 if invite_url else max(form.http_status, invite_form.http_status)
    return html, status, {**form.http_headers, **invite_form.http_headers}


def require_group_chat(chat_page: ChatPage) -> None:
    """Raise NotFound for a direct chat, which has no members to change."""
    if chat_page.chat.kind == "direct":
        raise NotFound("no_chat")
