"""Conversations: the caller's private mentions, by thread and by the people in it."""

from collections.abc import Sequence

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.http import Listed, Paging
from webapp.client_api.newer import cut
from webapp.client_api.news.conversation_news import Conversation, present_conversations
from webapp.core.errors import NotFound
from webapp.core.web import db, site
from webapp.statuses.private_mentions import store
from webapp.statuses.private_mentions.store import Conversation as Stored

bp = ApiBlueprint("conversations")


@bp.declare("GET /api/v1/conversations", "read:statuses")
def index(params: Paging) -> Listed[Conversation]:
    """Return the caller's conversations, the one of the newest status first."""
    found = db().read(store.conversations_of(g.viewer.uid))
    page = cut(found, params, lambda one: one.last_id)
    return page.showing(_present(page.items))


@bp.declare("POST /api/v1/conversations/<id:number>/read", "write:conversations")
def read(number: int) -> Conversation:
    """Note that the caller has read a conversation."""
    return _marked(number)


@bp.declare("POST /api/v1/conversations/<id:number>/unread", "write:conversations")
def unread(number: int) -> Conversation:
    """Note that the caller has not read the newest status of a conversation."""
    return _marked(number, unread=True)


@bp.declare("DELETE /api/v1/conversations/<id:number>", "write:conversations")
def delete(number: int) -> None:
    """Take a conversation off the caller's list. Its statuses stay."""
    uid = g.viewer.uid
    store.remove(db(), uid, store.find_conversation(db(), uid, number))


def _marked(number: int, unread: bool = False) -> Conversation:
    uid = g.viewer.uid
    store.mark_read(site(), uid, store.find_conversation(db(), uid, number), unread)
    shown = NotFound.unless(_present([store.find_conversation(db(), uid, number)]), "no_status")
    return shown[0]


def _present(conversations: Sequence[Stored]) -> list[Conversation]:
    """Return the conversations whose newest status the caller may see. Five trips at most."""
    return present_conversations([(g.viewer.uid, conversations)])[0]
