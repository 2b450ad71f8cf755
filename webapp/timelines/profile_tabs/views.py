"""The tabs of a profile beside its posts and replies."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, g

from webapp.accounts.renaming.redirects import owner_of_page, redirect_to_own
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.web import Response, cursor, no_store, prefetch, public, site, viewer_uid
from webapp.statuses.attachments.grid import picture_grid
from webapp.statuses.filters.apply import without_filtered

from .head import is_hidden_from
from .store import Tab, tab_page

bp = Blueprint("profile_tabs", __name__)


def _render(tab: Tab, owner: int, login: str) -> Response:
    """Show a member's posts with pictures, or those that they like unless they hide them."""
    found = tab_page(site(), tab, owner, g.viewer, cursor())
    member, page = found.profile.member, found.timeline
    if response := redirect_to_own(member, login, max_id=cursor()):
        return response
    rest = without_filtered(page, "profile")
    return no_store(
        render_kept(
            "timelines/profile.html",
            replayable=True,
            profile=found.profile,
            relation=found.relation,
            page=replace(page, items=rest.items, filtered=rest.filtered),
            is_own=viewer_uid() == member.uid,
            hidden_from_viewer=is_hidden_from(g.viewer, found),
            tab=tab.value,
            tiles=picture_grid(rest.items, "profile") if tab is Tab.MEDIA else (),
        )
    )


for _tab in (Tab.MEDIA, Tab.LIKES):
    _view = public(prefetch(owner_of_page)(partial(_render, _tab)))
    bp.get(f"/@<login>/{_tab.value}", endpoint=_tab.value)(_view)
