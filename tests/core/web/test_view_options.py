"""Which pages are served without the store, and which views count against a limit."""

import ast
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from flask import Flask

import webapp
from tests.support.world import Web
from webapp.core.web.view_options import storeless_paths, view_options

LIMITED = {  # by the setting and the bucket: views that count before they run
    "chat chat": """
        chat_inbox.accept_request chat_inbox.flag chat_inbox.ignore chat_messages.delete
        chat_settings.delete groups.enter_chat membership.demote membership.leave
        membership.promote membership.remove
    """,
    "chat chat-mark": "chat_inbox.read chat_inbox.typing",
    "autosave describe": "attachments.describe",
    "edit edit": """
        admin_invitations.cancel bans.add bans.remove drop_offers.close filters.delete
        folders.delete group_owners.close group_owners.set_chat live_settings.change
        live_settings.undo promotions.save_seeing reading_history.choose
        statuses.remove_locations tags.feature tags.mute tags.unfeature tags.unmute threads.hide
        threads.show
    """,
    "edit export": "archive.export",
    "edit promote": "promotions.move",
    "edit review_promotion": "promotion_reviews.answer",
    "edit trade": "market.offer market.withdraw",
    "follow dismiss": "suggestions.dismiss",
    "follow follow": """
        blocks.block blocks.unblock endorsements.endorse endorsements.unendorse following.follow
        following.remove following.unfollow group_invitations.decline group_invitations.end
        group_owners.accept group_owners.ban group_owners.dismiss_report
        group_owners.pass_on_report group_owners.pin_post group_owners.promote
        group_owners.refuse group_owners.remove group_owners.remove_post
        group_owners.remove_report group_owners.step_down group_owners.unban
        group_owners.unpin_post groups.join groups.leave groups.show_at_home
        hidden_boosts.hide_boosts hidden_boosts.show_boosts list_pins.pin list_pins.unpin
        lists.remove_member lists.set_memberships lists.unlist mutes.unmute requests.accept
        requests.refuse requests.remove_follower subscriptions.subscribe
        subscriptions.unsubscribe tags.follow tags.remove tags.unfollow threads.mute
        threads.unmute
    """,
    "group invite": "invitations.cancel",
    "like check_in": "points.mark points.repair",
    "like group_vote": "groups.vote",
    "like hide_promoted": "promotions.hide",
    "like hide_trend": "explore.hide explore.unhide",
    "like like": """
        interactions.bookmark interactions.boost interactions.like interactions.remove_bookmark
        interactions.remove_boost interactions.remove_like interactions.unbookmark
        interactions.unboost interactions.unlike polls.vote
    """,
    "like pay": "cart.buy market.answer market.pay",
    "like pin": "edits.pin edits.remove_pin edits.unpin",
    "like quote": "quotes.detach quotes.reattach quotes.remove_detach quotes.set_quote_policy",
    "like save_search": "search.remove search.save",
    "like take": "drops.take",
    "nearby nearby": "nearby.appear",
    "post delete": "statuses.delete statuses.remove",
    "views views": "timelines.mark_read",
}

# How often code counts against a limit while it runs: by the bucket, or the setting and the bucket.
COUNTED = """
    appeal=1 autocomplete=1 autosave=1 card=1 chat=7 client_api=1 codes=2 codes-network=1
    draft=3 edit=18 edit/import=2 edit/promote=1 follow=12 group=4 group/group_invite=2
    group/invite=1 group/job=1 group/job_skills=1 group/new_group=1 like=2 like/cart=1 link=1
    mail=1 mail/mail-to=1 mail-login/mail-codes=1 oauth_app=1 oauth_token=1 page-stream=1
    passkeys=1 pictures=2 post/revise=1 private_feed=1 reset=1 search=11 search-stream=1 setup=1
    signin=2 signin_account=2 signin_account/mail-code=1 signup=2 stream=1 strength=1 token=3
    token/app=1 token/bot=4 token/private_feed=1 views=1
"""


def counted() -> Counter[str]:
    """Count the calls in webapp that count against a limit that they name."""
    found: Counter[str] = Counter()
    for path in Path(webapp.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call):
                continue
            name, values = ast.unparse(call.func).rpartition(".")[2], call.args
            if name == "consume":  # pairs of a bucket, whom it counts, and the rate
                values = [one.elts[0] for one in values if isinstance(one, ast.Tuple)]
            elif name == "carry_out":
                values = values[1:]
            elif not name.startswith("consume_"):
                continue
            if named := [one.value for one in values if isinstance(one, ast.Constant)]:
                found["/".join(map(str, named))] += 1
    return found


@pytest.mark.tables
def test_no_limit_is_lost_that_counts_while_a_view_runs() -> None:
    assert {f"{limit}={count}" for limit, count in counted().items()} == set(COUNTED.split())


@pytest.mark.tables
def test_the_listed_views_are_limited(app: Flask) -> None:
    limited = defaultdict(set)
    for name, view in app.view_functions.items():
        if limit := view_options(view).limit:
            bucket, setting = limit
            limited[f"{setting} {bucket}"].add(name)
    assert limited == {limit: set(names.split()) for limit, names in LIMITED.items()}


@pytest.mark.parametrize(
    ("path", "for_visitors", "for_others"),
    [
        ("/login", True, False),
        ("/healthz", True, True),
        ("/static/abc.css", True, True),
        ("/readyz", False, False),
        ("/loginx", False, False),
        ("/signup", False, False),
        ("/", False, False),
    ],
)
def test_paths_that_need_no_store_never_wait_for_it(
    web: Web, path: str, for_visitors: bool, for_others: bool
) -> None:
    needs_none = storeless_paths(web.app)
    assert (needs_none(path, True), needs_none(path, False)) == (for_visitors, for_others)


def test_the_sign_in_asks_the_store_nothing_for_a_visitor(web: Web) -> None:
    before = web.db.trips
    page = web.app.test_client().get("/login?next=/home")
    assert page.status_code == 200 and 'name="password"' in page.text
    assert web.db.trips == before
