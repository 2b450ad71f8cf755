"""Which pages are served without the store."""

import pytest

from tests.support.world import Web
from webapp.core.web.view_options import storeless_paths


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
