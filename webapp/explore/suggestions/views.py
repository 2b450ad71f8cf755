"""The page of people to follow, the short list beside other pages, and dismissing."""

from flask import Blueprint, Response as FlaskResponse, g

from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, gather
from webapp.core.web import Requester, db, prefetch, private_page
from webapp.core.web.redirects import declare_act
from webapp.pagecache.decorators import cached, cached_for, depends_on_members
from webapp.timelines.trends.current import visitor_trends
from webapp.timelines.trends.ranking import Ranking

from . import popular, store
from .store import Candidates

bp = Blueprint("suggestions", __name__)
PAGE = 50  # suggestions of the page
FEW = 3  # suggestions beside other pages
PATH, LIMIT = "/@<login:login>/dismiss", ("follow", "dismiss")
declare_act(bp, PATH, store.dismiss, "suggestions.index", *LIMIT, takes=db, back=True)


def _candidates(requester: Requester) -> Read[Candidates]:
    return store.candidates(requester.uid)


@bp.get("/explore/people")
@prefetch(lambda requester: gather(_candidates(requester), visitor_trends(requester)))
@cached()
def index(prefetched: tuple[Candidates, Ranking | None]) -> FlaskResponse:
    """Show whom the viewer may want to follow; visitors get the popular members."""
    candidates, g.trends = prefetched
    if g.viewer:
        found = store.suggested(db(), g.viewer.uid, PAGE, candidates)
    else:
        found = store.popular_members(db(), PAGE, candidates)
    if found:  # a page without anybody is not cached: the first member who posts shows at once
        depends_on_members(one.member.uid for one in found)
    cached_for(popular.SECONDS)
    return render_kept("explore/suggestions/index.html", suggested=found)


@bp.get("/explore/people/few")
@prefetch(_candidates)
def few(candidates: Candidates) -> FlaskResponse:
    """Show the best suggestions without a page around them, for an open page."""
    found = store.suggested(db(), g.viewer.uid, FEW, candidates)
    return private_page("explore/suggestions/few.html", suggested=found)
