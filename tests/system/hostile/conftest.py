"""The site that these tests attack."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask

from tests.support.hostile.site import AttackedSite, Join
from webapp.config import Config


@pytest.fixture
def settings(settings: Config) -> Config:
    """As always, but that nobody is seen again while a test lasts."""
    return replace(settings, session_touch=86_400)


@pytest.fixture
def site(app: Flask, member: Join) -> AttackedSite:
    """The site under attack."""
    return AttackedSite(app, member)
