"""The lists that a page shows below a text field while a member writes."""

from flask import Blueprint, Response as FlaskResponse, g, request

from webapp.core.store import Read, gather
from webapp.core.web import Requester, db, limit_for_viewer, prefetch, private_page

from .members import (
    MemberSearch,
    TagSearch,
    search_members,
    search_tags,
    suggest_members,
    suggest_tags,
)
from .picking.people import PeopleSearch, picker, search_people

bp = Blueprint("autocomplete", __name__, url_prefix="/autocomplete")
SEARCH_MEMBERS_MAX = 5  # below a search box
SEARCH_MAX = 8  # members and hashtags below a search box


def _members(requester: Requester) -> Read[MemberSearch | None]:
    return search_members(requester.uid, request.args.get("q", ""))


def _tags(requester: Requester) -> Read[TagSearch]:
    return search_tags(requester.uid, request.args.get("q", ""))


@bp.get("/members")
@prefetch(_members)
def members(found: MemberSearch | None) -> FlaskResponse:
    """Show members to mention, whose names begin with `q`. Without it: recent contacts."""
    suggestions = suggest_members(g.viewer.uid, found)
    _, suggested = db().fetch(limit_for_viewer("autocomplete"), suggestions)
    return private_page("autocomplete/members.html", members=suggested)


@bp.get("/people")
@prefetch(lambda requester: search_people(requester.uid, request.args.get("q", "")))
def people(found: PeopleSearch) -> FlaskResponse:
    """Show people to choose whose names begin with the words of `q`. `links`: to write to them."""
    _, picked = db().fetch(limit_for_viewer("autocomplete"), picker(g.viewer.uid, found))
    has_links = "links" in request.args
    return private_page("autocomplete/people.html", picker=picked, has_links=has_links)


@bp.get("/tags")
@prefetch(_tags)
def tags(found: TagSearch) -> FlaskResponse:
    """Show hashtags that begin with `q`. Without it: those the member used lately."""
    _, suggested = db().fetch(limit_for_viewer("autocomplete"), suggest_tags(found))
    return private_page("autocomplete/tags.html", tags=suggested)


@bp.get("/search")
@prefetch(lambda requester: gather(_members(requester), _tags(requester)))
def search(found: tuple[MemberSearch | None, TagSearch]) -> FlaskResponse:
    """Show the members and hashtags that begin with `q`, the text of a search box."""
    suggestions = gather(suggest_members(g.viewer.uid, found[0]), suggest_tags(found[1]))
    _, (members, names) = db().fetch(limit_for_viewer("autocomplete"), suggestions)
    members = members[:SEARCH_MEMBERS_MAX]
    names = names[: SEARCH_MAX - len(members)]
    return private_page("autocomplete/search.html", members=members, tags=names)
