"""Sign members up through the site's forms, and read its pages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import BASE, PASSWORD, close_app, make_app
from tests.support.engines import SELECTED, start_server
from tests.support.schema import check_schema
from webapp.config import Config, load


@contextmanager
def serving(config: Config, **flask: Any) -> Iterator[Flask]:
    """Run another app while the block runs."""
    app = make_app(config, **flask)
    yield app
    close_app(app)


@contextmanager
def serving_alone(folder: Path, **values: Any) -> Iterator[Flask]:
    """Run an app on a store of its own, which outlives a test: several can read the site."""
    with start_server(folder, SELECTED) as url:
        own = {"redis_url": url, "media_dir": str(folder / "media")}
        with serving(load({**BASE, **own, **values}, {})) as app:
            yield app
            check_schema(app.extensions["linnet.db"])


def join(app: Flask, login: str, **form: str) -> FlaskClient:
    """Sign a member up and return their browser."""
    client = app.test_client()
    fields = {"login": login, "name": login.title(), "password": PASSWORD, **form}
    response = client.post("/signup", data=fields)
    assert response.status_code == 303, response.text
    return client


def post_status(client: FlaskClient, text: str, **fields: str) -> int:
    """Post a status through the form and return its id."""
    response = client.post("/statuses", data={"text": text, **fields})
    assert response.status_code == 303, response.text
    return status_ids(client.get(response.location))[0]


def status_ids(response: TestResponse) -> list[int]:
    """Return the ids of the statuses on a page, without what is popular on an empty home."""
    assert response.status_code == 200, response.text
    text = without_popular(response.text)
    return [int(found) for found in re.findall(r'<article [^>]*id="status-(\d+)"', text)]


def without_popular(html: str) -> str:
    """Return a page without the popular posts that a member sees who follows nobody."""
    return re.sub(r'<section class="popular".*?</section>', "", html, flags=re.DOTALL)


def listed_logins(response: TestResponse) -> list[str]:
    """Return the logins of the members on a page."""
    assert response.status_code == 200, response.text
    return re.findall(r'class="person-link" href="/@(\w+)"', response.text)


def older_link(response: TestResponse) -> str | None:
    """Return the address of the page's "Older" link, None if it has none."""
    link = re.search(r'<a [^>]*rel="next" href="([^"]+)"', response.text)
    return unescape(link[1]) if link else None


def page_text(response: TestResponse) -> str:
    """Return the text of a page's main part. Elements are boxes, except inside a sentence."""
    html = response.text.partition("<main")[2]
    words = re.sub(r"</?(?:b|bdi|time|wbr)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", words)).split())


def check_error(response: TestResponse, status: int, *sentences: str) -> None:
    """Fail unless the response is the error page of this status, with these sentences."""
    assert response.status_code == status, response.text
    assert response.mimetype == "text/html"
    assert re.search(rf'class="error-code"[^>]*>.*?</svg>{status}</p>', response.text, re.DOTALL)
    for sentence in sentences:
        assert sentence in page_text(response)


def group_tag(page: str, name: str) -> str:
    """Return the opening tag of the group of radio buttons with this name."""
    before = page.partition(f'name="{name}"')[0]
    return before[before.rindex("<fieldset") :].partition(">")[0]


def check_refused_group(page: str, name: str) -> None:
    """Check that a refused group of radio buttons leads to its error, and alone has the focus."""
    assert f'aria-describedby="{name}-error"' in group_tag(page, name)
    assert page.count(f'id="{name}-error"') == 1
    focused = re.findall(r"<[^>]* autofocus[^>]*>", page)
    assert len(focused) == 1 and f'id="{name}-0"' in focused[0]
