"""Serve the cheapest possible pages and posts under the site's own web server.

It runs as many processes and threads as the site does.

`/constant/…` is a WSGI app without Flask that returns the bytes of a visitor's page, ready made, as
they came over the wire; `GET /home` a Flask view that does so with a member's home;
`POST /statuses` a Flask view that does nothing but run the script of posting: one EVALSHA with a
text, entities and keys as the site makes them.

`python -m bench.peers.references` serves them; the bytes are files in the folder `pages` of
DATA_DIR.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask

from webapp.config import Config, Rate, load as settings, socket_path
from webapp.core.store import Command
from webapp.core.store.connection import connect
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import parse
from webapp.server import granian
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.statuses.store import POST
from webapp.statuses.threads.replies import ANCESTORS_MAX

from . import data, load, plan
from .processes import free_port, program, ready, store

Request = dict[str, Any]
CONSTANT = ("profile", "permalink", "public")  # the pages that visitors may get from a cache


def workloads(ours: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the references of our workloads, by the same names."""
    results = []
    for workload in ours:
        request: Request = {"headers": plan.ACCEPT, "expect": {"status": 200}}
        if workload["name"] in CONSTANT:
            results.append(
                workload | {"requests": [request | {"path": f"/constant/{workload['name']}"}]}
            )
        elif workload["name"] == "home":
            results.append(workload | {"requests": [request | {"path": "/home"}]})
        elif workload["name"] == "post":
            form = {"text": plan.TEXT + " {unique}"}
            results.append(
                workload
                | {"requests": [request | {"path": "/statuses", "method": "POST", "form": form}]}
            )
    return results


def kept_pages(base: str, ours: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
    """Return the body of one of our pages of each kind that has a reference.

    It is of middling length, and as a browser is sent it.
    """
    requests_by_name = {
        workload["name"]: workload["requests"]
        for workload in ours
        if workload["name"] in (*CONSTANT, "home")
    }
    bodies = {
        name: [load.ask(base, workload)[2] for workload in requests]
        for name, requests in requests_by_name.items()
    }
    return {name: sorted(results, key=len)[len(results) // 2] for name, results in bodies.items()}


@contextmanager
def running(filled: Path, pages: Mapping[str, bytes], community: data.Community) -> Iterator[str]:
    """Run the references on a copy of our data, and give their address.

    Nobody applies the events of the posts.
    """
    with store(filled) as folder:
        (folder / "pages").mkdir()
        for name, body in pages.items():
            (folder / "pages" / name).write_bytes(body)
        port = free_port()
        own = {
            "REDIS_URL": f"unix://{socket_path(folder)}",
            "DATA_DIR": str(folder),
            "PORT": str(port),
        }
        own |= {"SECRET_KEY": "bench", "LOG_LEVEL": "WARNING", "OUTBOX_MAX": "100000000"}
        own["AUTHORS"] = " ".join(map(str, plan.posters(community)))
        with program([sys.executable, "-m", "bench.peers.references"], **own) as started:
            yield ready(started, port, "/constant/public")


def app() -> Any:
    """Return the app of all references for the site's web server."""
    config = settings()
    constant, flask = (
        _constant(config.data_dir / "pages"),
        _flask(config.data_dir / "pages" / "home"),
    )

    def chosen(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        return (constant if environ["PATH_INFO"].startswith("/constant/") else flask)(
            environ, start
        )

    return AsgiBridge(chosen, config)


def _constant(folder: Path) -> Callable[..., Iterable[bytes]]:
    bodies = {f"/constant/{path.name}": path.read_bytes() for path in folder.iterdir()}
    heads = {
        path: [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))]
        for path, body in bodies.items()
    }

    def wsgi(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        start("200 OK", heads[path])
        return [bodies[path]]

    return wsgi


def _flask(home: Path) -> Flask:
    app, config = Flask(__name__), settings()
    db, page, count = connect(config), home.read_bytes(), itertools.count()
    authors = list(map(int, os.environ["AUTHORS"].split()))

    @app.get("/home")
    def same_bytes() -> bytes:
        return page

    @app.post("/statuses")
    def one_script() -> str:
        turn = next(count)
        form = f"{os.getpid():016x}{turn:016x}"
        return str(db.run(_posting(config, authors[turn % len(authors)], form)))

    return app


def _posting(config: Config, uid: int, form: str) -> Command:
    """Return the command of a post, as `statuses/store.py` makes it."""
    return POST(
        config,
        digest=form,
        uid=uid,
        idempotency_seconds=config.post_key_hours * 3600,
        burst=LIMIT.burst,
        period=LIMIT.period,
        form_key=form,
        draft_saved="",
        replaces="",
        network="",
        flagged="",
        more="",
        path_max=ANCESTORS_MAX + 1,
        fields=["author", uid, *FIELDS],
    )


PARSED = parse(f"{plan.TEXT} u18c2f0a7d5b3e6f1-0-1234", 280)
FIELDS = (
    *("text", PARSED.text),
    *("entities", pack_entities(PARSED.entities)),
    *("lang", "en"),
)
LIMIT = Rate(1_000_000, 1)  # as the site's is set for this: never reached

if __name__ == "__main__":
    from .references import app as importable  # by its real name: other processes must find it

    granian.serve_pages(settings(), importable)
