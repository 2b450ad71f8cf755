"""Members with apps of the client API."""

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import Clients, Three, connected


@pytest.fixture
def clients(app: Flask, member: SignUp) -> Clients:
    """The apps of ann and ben; ben follows ann."""
    ann, ben = connected(app, member("ann")), connected(app, member("ben"))
    ben.post("v1/accounts/1/follow")
    return ann, ben


@pytest.fixture
def three(app: Flask, member: SignUp) -> Three:
    """The apps of ann, ben and carl."""
    ann, ben, carl = (connected(app, member(login)) for login in ("ann", "ben", "carl"))
    return ann, ben, carl
