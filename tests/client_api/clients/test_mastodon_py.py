"""Mastodon.py, a client that many bots use, reads every answer that it asks for."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from PIL import Image
from werkzeug.serving import make_server

from tests.client_api.clients.mastodon_calls import CALLS, LATER, Stage, why_uncalled
from tests.conftest import SignUp, long
from tests.support.client_api import allowed_code
from tests.support.webhook_receiver import receiving
from webapp.core.store import Site
from webapp.notifications.push.worker import PushSender

mastodon = pytest.importorskip("mastodon")
SCOPES = ["read", "write", "follow", "push"]
Connect = Callable[[str], Any]
METHODS = sorted(
    name
    for name in dir(mastodon.Mastodon)
    if not name.startswith(("_", "admin_")) and callable(getattr(mastodon.Mastodon, name))
)
QUICK = [name for at, name in enumerate(CALLS) if at % 8 == 0]  # the others are `long`
ABSENT = (404, 405)


@pytest.fixture
def connect(app: Flask, member: SignUp) -> Iterator[Connect]:
    """Return a function that signs a member up, and in with a client of theirs."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    base = f"http://127.0.0.1:{server.port}"

    def connect(login: str) -> Any:
        names = mastodon.Mastodon.create_app("Siskin", api_base_url=base, scopes=SCOPES)
        client = mastodon.Mastodon(*names, api_base_url=base, ratelimit_method="throw")
        registered = {"client_id": names[0], "scopes": SCOPES}
        code = allowed_code(member(login), registered)
        client.log_in(code=code, scopes=SCOPES, allow_http=True)
        return client

    yield connect
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def clients(connect: Connect) -> tuple[Any, Any]:
    """The clients of ann and ben."""
    return connect("ann"), connect("ben")


def test_every_method_is_called_or_has_a_reason() -> None:
    known = [*CALLS, *LATER, *why_uncalled()]
    assert sorted(known) == METHODS, "see mastodon_calls.py"


@pytest.mark.parametrize("name", [name if name in QUICK else long(name) for name in CALLS])
def test_it_reads_what_a_method_asks_for(clients: tuple[Any, Any], name: str) -> None:
    CALLS[name](Stage(*clients))


@pytest.mark.long
@pytest.mark.parametrize("name", LATER)
def test_it_reads_or_misses_what_came_later(clients: tuple[Any, Any], name: str) -> None:
    with suppress(mastodon.MastodonVersionError):
        try:
            LATER[name](Stage(*clients))
        except mastodon.MastodonAPIError as error:
            assert error.args[1] in ABSENT, error


def test_it_reads_what_it_is_told_of_others(clients: tuple[Any, Any]) -> None:
    ann, ben = clients
    me, other = ann.account_verify_credentials(), ben.account_verify_credentials()
    assert ann.account_relationships([other, me])[0].following is False
    assert ann.account_lookup("ben").id == other.id
    assert [one.id for one in ann.search_v2("ben").accounts] == [other.id]
    assert [one.id for one in ann.account_familiar_followers([other])] == [other.id]
    assert ann.tag("birds").name == "birds" and ann.tag_follow("birds").following


def test_it_writes_as_its_users_do(clients: tuple[Any, Any]) -> None:
    ann, ben = clients
    file = BytesIO()
    Image.new("RGB", (300, 200), "red").save(file, "PNG")
    media = ann.media_post(file.getvalue(), "image/png", description="red", focus=(0.2, -0.4))
    media = ann.media_update(media, description="very red")
    posted = ann.status_post("", media_ids=[media], spoiler_text="colour", visibility="private")
    assert posted.media_attachments[0].description == "very red"
    poll = ann.status_post("?", poll=ann.make_poll(["yes", "no"], 3600)).poll
    assert ben.poll_vote(poll, [0]).own_votes == [0]
    assert ann.status_pin(posted).pinned and not ann.status_unpin(posted).pinned
    assert ann.status_update(posted, "a colour").edited_at
    due = datetime.now(UTC) + timedelta(hours=2)
    waiting = ann.status_post("later", scheduled_at=due)
    assert ann.scheduled_status_update(waiting, due + timedelta(hours=1)).id == waiting.id
    ann.scheduled_status_delete(waiting)
    made = ann.list_create("Birds")
    ann.list_accounts_add(made, [ben.me()])
    assert [one.acct for one in ann.list_accounts(made)] == ["ben"]
    assert ann.timeline_list(made) == []
    ann.list_update(made, "Others")
    ann.list_accounts_delete(made, [ben.me()])
    ann.list_delete(made)
    assert ann.filter_create("gull", ["home"]).phrase == "gull"
    ann.account_update_credentials(display_name="Ann B", note="hi", locked=False)
    ann.markers_set(["home"], [posted.id])
    assert ann.markers_get(["home"])["home"].last_read_id
    ann.report(ben.me(), comment="spam")
    ann.status_delete(posted)


def test_it_decrypts_what_is_pushed_to_it(app: Flask, clients: tuple[Any, Any]) -> None:
    ann, ben = clients
    config = replace(app.extensions["linnet.config"], web_push="private")
    app.extensions["linnet.config"] = config
    private, public = ann.push_subscription_generate_keys()
    with receiving() as service:
        made = ann.push_subscription_set(f"{service.url}/phone", public, mention_events=True)
        assert ann.push_subscription().alerts == made.alerts and made.alerts.mention
        ben.status_post("Hello @ann")
        assert PushSender(Site(app.extensions["linnet.db"], config)).run_due() == 1
        [request] = service.requests
    headers = (request.headers["encryption"], request.headers["crypto-key"])
    message = ann.push_subscription_decrypt_push(request.body, private, *headers)
    assert (message.title, message.body) == ("Ben mentioned you", "Hello @ann")
    assert message.access_token == ann.access_token
    assert ann.notifications(message.notification_id).type == message.notification_type
    changed = ann.push_subscription_update(follow_events=True, policy="none")
    assert changed.policy == "none" and not changed.alerts.mention
    ann.push_subscription_delete()
    with pytest.raises(mastodon.MastodonNotFoundError):
        ann.push_subscription()


def test_it_reads_notifications_in_groups(clients: tuple[Any, Any]) -> None:
    ann, ben = clients
    ann.version_check_mode = "none"  # the site promises them to no client yet
    posted = ann.status_post("Hello")
    ben.status_favourite(posted)
    ben.status_post("@ann hi")
    found = ann.grouped_notifications(limit=1)
    assert [one.type for one in found.notification_groups] == ["mention"]
    [group] = ann.grouped_notifications(exclude_types=["mention"]).notification_groups
    assert group.status_id == posted.id and group.sample_account_ids == [ben.me().id]
    assert ann.unread_grouped_notifications_count() == 2
    assert ann.grouped_notification(group.group_key).statuses[0].id == posted.id
    assert [one.acct for one in ann.grouped_notification_accounts(group.group_key)] == ["ben"]
    ann.dismiss_grouped_notification(group.group_key)
    assert ann.update_notifications_policy(for_not_following="drop").for_not_following == "drop"
    assert ann.notification_requests() == [] and ann.notifications_merged()


def test_it_goes_from_page_to_page(clients: tuple[Any, Any]) -> None:
    ann, _ = clients
    posted = [ann.status_post(f"number {at}").id for at in range(5)][::-1]
    first = ann.timeline_home(limit=2)
    second = ann.fetch_next(first)
    assert [one.id for one in (*first, *second)] == posted[:4]
    assert [one.id for one in ann.fetch_previous(second)] == posted[:2]
    assert [one.id for one in ann.fetch_remaining(first)] == posted


def test_it_reads_quotes_conversations_and_boosts(clients: tuple[Any, Any]) -> None:
    ann, ben = clients
    posted = ann.status_post("said")
    quote = ben.status_post("so", quoted_status_id=posted, quote_approval_policy="nobody")
    assert ann.status(quote).quote.quoted_status.id == posted.id
    assert [one.id for one in ann.status_quotes(posted)] == [quote.id]
    assert ann.status_quote_revoke(posted, quote).quote.state == "revoked"
    assert ann.status_update_quote_approval_policy(posted, "followers").quote_approval
    ben.status_post("@ann psst", visibility="direct")
    [talk] = ann.conversations()
    assert talk.unread and not ann.conversations_read(talk).unread
    boost = ben.status_reblog(posted)
    assert ann.status(boost.id).reblog.id == posted.id
