"""`python -m bench.server linnet|plain`: the site, or the references of `bench.http`, under the
site's web server.
"""

from __future__ import annotations

import secrets
import sys
from typing import Any

from flask import Flask

from webapp.app import pages_app
from webapp.config import load
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.server import granian
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.statuses.store import post

TEXT = (
    "Larks sing while they climb, and I have never heard one stop for breath. #larks "
    "https://example.org/"
)
AUTHOR = 2  # a member id


def plain() -> Any:
    """Return a bare Flask app with the views of the references."""
    app = Flask(__name__)
    config = load()
    db = connect(config)
    page = (config.data_dir / "page.html").read_bytes()
    parsed = parse(TEXT, 280)

    @app.get("/page")
    def same_bytes() -> bytes:
        return page

    @app.post("/post")
    def one_script() -> str:
        return str(post(Site(db, config), AUTHOR, parsed, secrets.token_urlsafe(12)))

    @app.get("/healthz")
    def healthz() -> str:
        return "ok"

    return AsgiBridge(app, config)


if __name__ == "__main__":
    from .server import plain as importable  # by its real name: other processes must find it

    granian.serve_pages(load(), importable if sys.argv[1] == "plain" else pages_app)
