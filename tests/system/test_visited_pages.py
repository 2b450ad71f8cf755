"""The tests that visit every page, and count its trips, know of every page."""

import pytest
from flask import Flask
from werkzeug.routing import Rule

from tests.support.crowded_site import CHAT_PATHS, MORE_PUBLIC_PATHS
from tests.support.full_site import MEMBER_PATHS, PUBLIC_PATHS

# Files, answers to scripts, programs and apps, and redirects.
NO_PAGES = """
    archive.download archive.export archive.posts_report archive.report autocomplete.members
    autocomplete.people autocomplete.search autocomplete.tags chats.picture feeds.home
    health.healthz health.readyz join.follow join.on_status manifest media.show
    media.show_group_picture media.show_link_picture metrics.show moderation.export_log
    offline.service_worker points.former_boards robots search.atom site_accent site_icon
    site_icon_file static statuses.part streams.serve suggestions.few
"""
# Pages whose address has a secret, or that need mail or a state of the site.
VISITED_ELSEWHERE = """
    bots.show chat_invitations.join digest.unsubscribe email_login.index group_invitations.follow
    password_reset.forgot_password password_reset.reset_password setup.index standing.show_warning
"""
PLACES = {"id": "64", "quote": "64", "chat": "/chats/64", "direct": "/chats/@ben"}
PLACES |= dict.fromkeys(("status", "first_reply", "last_reply"), "/@ann/64") | {"several": "64-1"}


@pytest.mark.tables
def test_every_page_is_visited(app: Flask) -> None:
    paths = f"{PUBLIC_PATHS} {MORE_PUBLIC_PATHS} {MEMBER_PATHS} {CHAT_PATHS}".format(**PLACES)
    routes = app.url_map.bind("localhost")
    found = (path.partition("?")[0] for path in paths.split() if "nowhere" not in path)
    visited = {routes.match(path)[0] for path in found}
    others = {*NO_PAGES.split(), *VISITED_ELSEWHERE.split()}
    pages = {rule.endpoint for rule in app.url_map.iter_rules() if is_for_people(rule)}
    missing = pages - visited - others
    assert not missing, f"add their paths to MEMBER_PATHS or PUBLIC_PATHS: {missing}"
    assert others - pages == set() == others & visited, "take them off the tables here"


def is_for_people(rule: Rule) -> bool:
    """Return False for what programs and apps ask for."""
    is_of_apps = rule.endpoint.startswith(("client_", "chat_api", "oauth"))
    return "GET" in (rule.methods or ()) and not is_of_apps
