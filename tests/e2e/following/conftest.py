"""Browsers with scripts and without."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.conftest import long
from tests.e2e.conftest import OpenPage

Visit = Callable[[], Page]


@pytest.fixture(params=[True, long(False)], ids=["with scripts", "without scripts"])
def visit(request: pytest.FixtureRequest, open_page: OpenPage) -> Visit:
    """Open a visitor's page."""
    return lambda: open_page(scripts=request.param)
