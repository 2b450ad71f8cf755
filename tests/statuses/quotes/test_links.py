"""The address of a post of this site in a new post: a quote, if its author allows it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.notified import notified
from tests.support.pages import post_status
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import Status, Visibility, keys as status_keys, store as statuses
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.drafts import store as drafts
from webapp.statuses.quotes import store as quotes

SITE = "https://reeds.net"


@pytest.fixture
def site(site: Site) -> Site:
    """A site that knows its address."""
    return with_settings(site, site_url=SITE)


def post(site: Site, uid: int, text: str, key: str = "", **options: Any) -> Status:
    """Post a text, and return the status."""
    options["form_key"] = key or f"form {text}"
    return statuses.get(site.db, statuses.post(site, uid, parse(text), **options), uid)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("look at this https://reeds.net/@ann/{}", "look at this"),
        ("look\n\nreeds.net/@ann/{}/", "look"),
        ("look #reeds HTTPS://REEDS.NET/@ann/{}?via=mail#top", "look #reeds"),
        ("https://reeds.net/@ann/{} is good", "https://reeds.net/@ann/{} is good"),
        ("(https://reeds.net/@ann/{})", "(https://reeds.net/@ann/{})"),
        ("https://reeds.net/@ann/{}", "https://reeds.net/@ann/{}"),
        (
            "https://reeds.net/@ann/{} and https://reeds.net/@ann/5",
            "https://reeds.net/@ann/{} and https://reeds.net/@ann/5",
        ),
    ],
)
def test_an_address_becomes_a_quote_and_is_left_out_at_the_end(
    world: World, site: Site, text: str, stored: str
) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(site, ann, "the post").id
    found = post(site, ben, text.format(quoted))
    assert (found.quote, found.text) == ((quoted, ann), stored.format(quoted))
    assert all(found.text[one.start : one.end].endswith(one.text) for one in found.entities)


def test_the_author_learns_of_it_and_it_counts(world: World, site: Site) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(site, ann, "the post").id
    quote = post(site, ben, f"see {SITE}/@ann/{quoted}").id
    world.apply_events()
    assert notified(world.db, ann) == [("quote", ben, quote)]
    assert world.status(quoted).quotes == 1


@pytest.mark.parametrize(
    "reason",
    "nobody followers blocked blocking protected restricted unknown suspended elsewhere".split(),
)
def test_what_may_not_be_quoted_stays_a_link(world: World, site: Site, reason: str) -> None:
    ann, ben = world.people("ann", "ben")
    policy = {"nobody": QuotePolicy.NOBODY, "followers": QuotePolicy.FOLLOWERS}.get(reason)
    visibility = Visibility.FOLLOWERS if reason == "restricted" else Visibility.PUBLIC
    options: dict[str, Any] = {"quote_policy": policy} if policy else {}
    quoted = post(site, ann, "the post", visibility=visibility, **options).id
    if reason == "restricted":
        following.follow(site, ben, "ann")  # so ben can read it
    elif reason == "blocked":
        blocks.block(site, ann, "ben")
    elif reason == "blocking":
        blocks.block(site, ben, "ann")
    elif reason == "protected":
        lifecycle.protect(site, ann)
    elif reason == "suspended":
        lifecycle.suspend(site, ann)
    elif reason == "unknown":
        statuses.delete(site, ann, quoted)
    address = f"https://{'reeds.org' if reason == 'elsewhere' else 'reeds.net'}/@ann/{quoted}"
    found = post(site, ben, f"look {address}")
    assert (found.quote, found.text) == (None, f"look {address}")
    assert [one.text for one in found.entities] == [address]
    if reason in ("nobody", "protected"):
        answer = post(site, ann, f"look {address}", "own")
        assert answer.quote == ((quoted, ann) if reason == "nobody" else None)


def test_a_chosen_quote_stays(world: World, site: Site) -> None:
    ann, ben = world.people("ann", "ben")
    first, second = post(site, ann, "one").id, post(site, ann, "two").id
    text = f"rather {SITE}/@ann/{first}"
    found = post(site, ben, text, quote=second)
    assert (found.quote, found.text) == ((second, ann), text)


def test_posts_of_a_thread_and_scheduled_posts_quote_too(world: World, site: Site) -> None:
    ann, ben = world.people("ann", "ben")
    one, two = post(site, ann, "one").id, post(site, ann, "two").id
    texts = [f"see {SITE}/@ann/{one}", f"and {SITE}/@ann/{two}", "end"]
    first = post(site, ben, texts[0], more=[FurtherPost(parse(text)) for text in texts[1:]])
    thread = [first, world.status(first.id + 64), world.status(first.id + 128)]
    assert [status.quote for status in thread] == [(one, ann), (two, ann), None]
    assert [status.text for status in thread] == ["see", "and", "end"]
    fields = {"text": f"later {SITE}/@ann/{one}"}
    drafts.save(site, ben, "form-0001", fields, datetime.now(UTC))
    worker.publish_due(site)
    newest = int(world.db.run(("ZRANGE", status_keys.profile_statuses(ben), -1, -1))[0])
    later = world.status(newest)
    assert (later.quote, later.text) == ((one, ann), "later")


def test_the_links_of_a_long_thread_cost_no_more_trips(world: World, site: Site) -> None:
    ann, ben = world.people("ann", "ben")
    addresses = [f"{SITE}/@ann/{post(site, ann, str(number)).id}" for number in range(9)]
    addresses[4] = f"{SITE}/@ann/64"  # is gone

    def trips(count: int) -> int:
        before = site.db.trips
        more = [FurtherPost(parse(f"see {address}")) for address in addresses[:count]]
        first = statuses.post(site, ben, parse("all"), f"form-{count}", more=more)
        trips = site.db.trips - before
        thread = [world.status(first + 64 * place) for place in range(1, count + 1)]
        assert [bool(one.quote) for one in thread] == [place != 4 for place in range(count)]
        return trips

    assert trips(9) == trips(1)


def test_a_form_that_is_sent_again_posts_once_whatever_may_be_quoted_meanwhile(
    world: World, site: Site
) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(site, ann, "the post").id
    text = f"look {SITE}/@ann/{quoted}"
    first = post(site, ben, text, "form-0001")
    quotes.set_quote_policy(world.db, ann, quoted, QuotePolicy.NOBODY)
    assert post(site, ben, text, "form-0001").id == first.id


def test_the_site_is_the_one_that_the_form_is_sent_to(ann: FlaskClient, ben: FlaskClient) -> None:
    quoted = post_status(ann, "the post")
    form = {"text": f"look http://reeds.net/@ann/{quoted}"}
    ben.set_cookie("linnet", ben.get_cookie("linnet").value, domain="reeds.net")  # type: ignore[union-attr]
    assert ben.post("/statuses", data=form, base_url="http://reeds.net").status_code == 303
    page = ben.get("/@ben").text
    assert f'href="/@ann/{quoted}"' in page and "the post" in page and "reeds.net" not in page
