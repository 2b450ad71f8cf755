"""No route reveals what is hidden from the viewer, not even that it exists.

The tests visit every route of the app. A new route must be added below, or the first test fails.
"""

import re
from collections.abc import Iterator
from itertools import cycle, islice

import pytest
from flask import Flask
from werkzeug.routing import Rule

from tests.support.hidden_things import MEMBERS, SECRET, VIEWERS, HiddenSite, Values, hidden_site
from tests.support.world import Web
from webapp.client_api.endpoints import ENDPOINTS
from webapp.config import Config

# Routes with the id of something that may be hidden. They respond as if it did not exist.
ROUTES_BY_KIND = {
    "status": """
        statuses.show post_menu.show reports.of_status statuses.several
        statuses.new statuses.create statuses.delete statuses.remove
        interactions.like interactions.unlike interactions.remove_like interactions.boost
        interactions.unboost interactions.remove_boost interactions.bookmark interactions.unbookmark
        interactions.remove_bookmark interactions.likers interactions.boosters edits.edit
        threads.mute threads.unmute
        edits.history edits.pin edits.unpin edits.remove_pin polls.vote quotes.index quotes.detach
        quotes.remove_detach quotes.reattach quotes.set_quote_policy chats.forward
        sharing.card sharing.embed threads.hide threads.show join.on_status folders.choose
        groups.vote group_owners.remove_post group_owners.pin_post group_owners.unpin_post
        group_owners.dismiss_report group_owners.remove_report group_owners.pass_on_report
        promotions.show promotions.start promotions.move
    """,
    "list": """
        lists.show lists.members lists.edit lists.delete lists.remove lists.add_members
        lists.unlist lists.remove_member lists.set_memberships list_pins.pin list_pins.unpin
    """,
    "folder": "folders.show folders.edit folders.delete",
    "chat": """
        chats.show chats.picture chat_search.show chat_inbox.flag chat_inbox.accept_request
        chat_inbox.ignore chat_inbox.read chat_inbox.typing chat_reports.report
        chat_messages.create chat_messages.react
        chat_messages.delete chat_messages.edit chat_api.show chat_api.change chat_api.delete
        chat_api.read chat_api_messages.index chat_api_messages.show chat_api_messages.send
        chat_api_messages.edit chat_api_messages.delete chat_api_messages.react
        chat_api_messages.unreact chat_api_messages.picture chat_api_members.index
        chat_api_members.put chat_api_members.delete chat_api_members.join chat_api_members.leave
        chat_settings.edit chat_settings.delete chat_invitations.create chat_invitations.revoke
        chat_invitations.join_open membership.leave membership.people membership.add
        membership.remove membership.promote membership.demote bots.leave_group
    """,
    "draft": "drafts.edit drafts.remove drafts.delete drafts.save drafts.keep",
    "filter": "filters.edit filters.delete",
    "bot": """
        bots.show bots.remove bots.rename bots.create_token bots.revoke_token bots.change_webhook
        bots.remove_webhook
    """,
    "session": "sessions.end push.send_test push.remove",
    "token": "tokens.revoke",
    "app": "apps.revoke",
}
# Routes without such an id. The tests look for hidden texts in their responses.
OTHER_ROUTES = """
    timelines.index timelines.public timelines.home timelines.profile timelines.replies
    timelines.mark_read timelines.popular tags.hot view_counts.report
    feeds.profile feeds.public feeds.home home_settings.create_feed home_settings.end
    tags.show tags.atom tags.follow tags.remove tags.unfollow tags.index
    tags.mute tags.unmute tags.feature tags.unfeature home_settings.edit join.follow
    autocomplete.members autocomplete.people autocomplete.tags autocomplete.search
    attachments.describe statuses.part
    folders.bookmarks reading_history.index reading_history.choose statuses.weight
    statuses.remove_locations
    following.follow following.remove
    following.unfollow following.followers following.following following.familiar_followers
    following.common_follows following.languages
    following.mutuals following.featured suggestions.index suggestions.few suggestions.dismiss
    onboarding.index onboarding.choose_topics onboarding.follow_topics onboarding.find_people
    onboarding.follow_people
    onboarding.add_picture onboarding.get_codes onboarding.write_post
    onboarding.done onboarding.finish
    profile_tabs.media profile_tabs.likes search.show search.atom search.saved
    search.save search.remove requests.index
    requests.accept
    requests.refuse requests.remove_follower blocks.index blocks.block blocks.unblock mutes.index
    mutes.mute mutes.unmute hidden_boosts.hide_boosts hidden_boosts.show_boosts notes.edit
    subscriptions.subscribe subscriptions.unsubscribe hidden_boosts.index following.menu
    endorsements.endorse endorsements.unendorse
    reports.of_member lists.index
    lists.public lists.choose_lists drafts.index
    drafts.scheduled notifications.index notifications.private_mentions notifications.mark_all
    notifications.settings push.subscribe push.renew
    filters.index chats.index chats.direct chats.archived
    chats.new_message chats.requests chat_search.show_all membership.new chat_invitations.join
    chat_api.index
    chat_api.create chat_api_fetch.pending chat_api_fetch.fetched bots.index apps.index
    apps.create settings.index settings.appearance settings.edit_profile sessions.index
    tokens.index tokens.create second_step.index second_step.access second_step.set_up
    second_step.switch_on second_step.replace_codes second_step.switch_off second_step.prove
    passkeys.options passkeys.add passkeys.remove accounts.passkey_options
    accounts.password_strength settings.privacy auto_delete.edit username.index
    archive.index archive.make archive.download archive.report archive.export archive.import_table
    archive.import_posts archive.undo_posts archive.posts_report
    email.index email.add email.confirm email.remove_address digest.choose digest.unsubscribe
    email_login.index email_login.send email_login.log_in
    password_reset.forgot_password password_reset.reset_password
    about.about about.terms about.privacy about.contact about.shortcuts about.more
    oauth.authorize oauth.answer oauth_tokens.token oauth_tokens.revoke oauth_tokens.metadata
    client_discovery.host_meta client_discovery.nodeinfo_links client_discovery.nodeinfo
    client_discovery.webfinger client_pictures.avatar
    client_pictures.header client_openapi.show admin.home admin.retry admin.drop metrics.show
    log_lines.index streams.about streams.serve
    media.show media.show_group_picture media.show_link_picture preferences.choose
    accounts.signup health.healthz health.readyz robots security_contact manifest site_icon
    site_accent static
    live_settings.index live_settings.change live_settings.undo security_log.index
    sharing.answer_oembed sitemaps.index sitemaps.posts sitemaps.members sitemaps.pages
    offline.page offline.service_worker explore.index explore.in_all_languages explore.tags
    explore.links explore.open_groups explore.hidden_trends explore.hide explore.unhide
    points.check_in points.mark points.repair points.choose points.points points.show_boards
    points.former_boards
    drops.index drops.show drops.take drops.order drops.orders
    drop_offers.index drop_offers.new drop_offers.edit drop_offers.close
    market.index market.show market.offer market.withdraw market.pay market.answer market.inventory
    cart.show cart.change cart.buy cart.choose_seen
    promotions.index promotions.hide promotions.seeing promotions.save_seeing
    promotion_reviews.index promotion_reviews.answer
    groups.index groups.find groups.new groups.by_number groups.show groups.top groups.about
    groups.members groups.join groups.leave groups.show_at_home groups.enter_chat
    group_owners.settings group_owners.close group_owners.requests
    group_owners.set_chat
    group_owners.accept group_owners.refuse
    group_owners.remove group_owners.ban group_owners.unban group_owners.promote
    group_owners.step_down group_owners.reports
    group_invitations.index group_invitations.invite group_invitations.make_link
    group_invitations.end group_invitations.decline group_invitations.follow
    jobs.index jobs.fitting jobs.own jobs.show jobs.new jobs.edit jobs.close
    jobs.skills
    moderation.index moderation.answer_reports moderation.find moderation.member
    moderation.act_on_member moderation.answer moderation.appeals moderation.sign_ups
    moderation.show_log moderation.export_log directory.index
    admin_invitations.index admin_invitations.cancel
    setup.index icon.change site_icon_file
    invitations.index invitations.cancel
    bans.index bans.add bans.remove
    standing.index standing.appeal standing.show_warning standing.read_warning
    nearby.index nearby.show_people nearby.appear nearby.hide
"""
# Routes that end a session or start one. They are not visited.
SESSION_ROUTES = """
    accounts.login accounts.second_step accounts.logout settings.password settings.delete_account
    sessions.end_others recovery.reset accounts.passkey
"""
# Parts of addresses that name nothing hidden.
PUBLIC_VALUES = {
    "banned": "terms",
    "login": "wren",
    "slug": "marsh",
    "gid": "1",
    "status_id": "64",
    "quote_id": "64",
    "act": "like",
    "cid": "64",
    "job_id": "64",
    "number": "1",
    "group_key": "favourite-1",
    "drop_id": "1",
    "item_id": "65",
    "message": "1",
    "message_id": "1",
    "member": "1",
    "emoji": "👍",
    "uid": "1",
    "tab": "mentions",
    "name": "marsh",
    "day": "20260101",
    "file": "picture.webp",
    "filename": "favicon.svg",
    "form_key": "form-1",
    "sha": "0" * 64,
    "token": "none",
    "key": "none",
}
FORM = {
    "text": "hm",
    "key": "form-of-viewer",
    "name": "Hm",
    "words": "hm",
    "option": "0",
    "vote": "up",
    "emoji": "👍",
    "item": "#marsh",
    "q": "hm",
}
# What differs in each response, and the lengths that follow from it.
HEADERS = "X-Request-ID|X-RateLimit-Remaining|X-RateLimit-Reset|Set-Cookie|ETag|Content-Length"
CHANGING = re.compile(
    rf'value="[^"]*"|<code>[0-9a-f]{{16}}</code>|"\d{{13}}-\d+"|({HEADERS}): .*\r?\n'
)
KINDS = {route: kind for kind, routes in ROUTES_BY_KIND.items() for route in routes.split()}
# Parts of paths of the client API that name something of a kind.
KINDS_OF_PATHS = {
    "<id:status_id>": "status",
    "v1/statuses/<id:number>": "status",
    "lists/<id:number>": "list",
    "list/<id:number>": "list",
    "filters/<id:number>": "filter",
}
CLIENT_API = {
    endpoint.name: next(
        (kind for part, kind in KINDS_OF_PATHS.items() if part in endpoint.path), ""
    )
    for endpoint in ENDPOINTS
}
KINDS |= {name: kind for name, kind in CLIENT_API.items() if kind}
KINDS_WITHOUT_PAGES = {"session", "token", "app"}  # lists in the settings show them


@pytest.fixture
def site(settings: Config) -> Iterator[HiddenSite]:
    """The site whose routes are visited."""
    with hidden_site(settings) as site:
        yield site


@pytest.mark.tables
def test_every_route_is_listed_once(app: Flask) -> None:
    listed = [*KINDS, *OTHER_ROUTES.split(), *SESSION_ROUTES.split()]
    listed += [name for name, kind in CLIENT_API.items() if not kind]
    routes = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert routes - set(listed) == set(), "add them to ROUTES_BY_KIND or OTHER_ROUTES"
    assert set(listed) - routes == set(), "no routes of the app: take them off the tables"
    assert sorted(set(listed)) == sorted(listed), "listed twice"


def test_owners_reach_what_is_hidden_from_others(site: HiddenSite) -> None:
    owner = site.clients["wren"]
    without_secret = set()
    for kind, things in site.things.items():
        values = PUBLIC_VALUES | things[0].existing
        pages = [owner.get(path_of(rule, values)).text for rule in pages_of(site.app, kind)]
        if not any(SECRET in page for page in pages):
            without_secret.add(kind)
    assert without_secret == KINDS_WITHOUT_PAGES
    for path in ("/settings/tokens", "/settings/apps"):
        assert SECRET in owner.get(path).text


def test_hidden_things_are_answered_as_if_they_did_not_exist(site: HiddenSite) -> None:
    differing = []
    for viewer in VIEWERS:
        for rule, method, several_values in requests(site, viewer):
            responses = [respond(site, viewer, rule, method, values) for values in several_values]
            if len(set(responses)) > 1:
                differing.append((viewer, rule.endpoint, method, responses))
    assert differing == []
    for viewer in MEMBERS:
        assert site.clients[viewer].get("/home").status_code == 200, "still signed in"


def test_pages_of_admins_and_moderators_are_theirs_alone(web: Web) -> None:
    """Moderators see the directory of members. All else below `/admin` is for admins."""
    ann, jay = web.member("ann"), web.member("jay", "moderator")
    for rule in web.app.url_map.iter_rules():
        if not rule.rule.startswith(("/admin", "/moderation")):
            continue
        is_for_admins = rule.rule.startswith("/admin") and rule.endpoint != "directory.index"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            path = path_of(rule, PUBLIC_VALUES)
            codes = [one.open(path, method=method).status_code for one in (web.client, ann, jay)]
            assert codes[:2] == [303, 403], (method, path)
            assert (codes[2] == 403) == is_for_admins, (method, path)


def requests(site: HiddenSite, viewer: str) -> Iterator[tuple[Rule, str, list[Values]]]:
    """Yield each route and method with the values to send.

    A route that may name something hidden is also asked for a thing that never existed. Others are
    asked once, beside one hidden status or the other, in turn.
    """
    statuses = islice(cycle(site.things["status"]), VIEWERS.index(viewer), None)
    for rule in site.app.url_map.iter_rules():
        if rule.endpoint in SESSION_ROUTES.split():
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            if rule.endpoint not in KINDS:
                yield rule, method, [next(statuses).existing]
                continue
            for existing, missing in site.things[KINDS[rule.endpoint]]:
                yield rule, method, [existing, missing]


def pages_of(app: Flask, kind: str) -> list[Rule]:
    """Return the routes that show things of a kind."""
    return [
        rule
        for rule in app.url_map.iter_rules()
        if KINDS.get(rule.endpoint) == kind and "GET" in (rule.methods or ())
    ]


def path_of(rule: Rule, values: Values) -> str:
    """Return the path of a route with these values, and the first of several words it takes."""
    return re.sub(
        r"<(?:any\((\w+).*?\):|\w+:)?(\w+)>", lambda part: part[1] or values[part[2]], rule.rule
    )


def respond(
    site: HiddenSite, viewer: str, rule: Rule, method: str, hidden: Values
) -> tuple[int, str]:
    """Return a response without what differs each time. It must not contain the secret."""
    values = PUBLIC_VALUES | hidden
    status, number, cid = values["status_id"], values["number"], values["cid"]
    ids = {"reply": status, "quote": status, "status": status, "ids": status}
    ids |= {"list": number, "lists": number, "chat": cid, "to": cid}
    client = site.clients[viewer]
    client.delete_cookie("linnet_form")  # it may hold a notice about the last request
    path = path_of(rule, values)
    if method == "GET":
        query = dict.fromkeys(("ids", "quote", "status"), status)
        response = client.get(path, query_string=query)
    else:
        response = client.open(path, method=method, data={**FORM, **ids, **values})
    body = response.get_data().decode(errors="replace")  # it may be a picture
    text = f"{response.headers} {body}"
    assert SECRET not in text, (viewer, method, path)
    assert response.status_code < 500, (viewer, method, path)
    text = CHANGING.sub("", text)
    for value in hidden.values():
        text = text.replace(value if len(value) > 3 else f"/{value}", "…")
    return response.status_code, text
