"""Serve the book's algorithm (`redis_in_action.py`) with a minimal Flask app.

`STORE` names the Unix socket of its store. `python -m bench.peers.apps.redis_in_action_app fill
SIZE FILE` fills the store and writes to FILE what a plan needs to know; `… work` is the worker of
the queue.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from flask import Flask, abort, g, redirect, render_template, request
from redis import Redis
from werkzeug.wrappers import Response

from bench.peers import data, plan

from . import redis_in_action
from .common import MOST, PAGE, create_app as bare

CHUNK = 2_000  # commands of the filling in one trip


def connect() -> Redis:
    """Connect to the store."""
    return Redis(unix_socket_path=os.environ["STORE"], decode_responses=True)


def create_app() -> Flask:
    """Create the app."""
    app, conn = bare(__name__), connect()

    @app.before_request
    def who() -> None:
        uid = (
            redis_in_action.check_token(conn, request.cookies["token"])
            if "token" in request.cookies
            else None
        )
        g.me = {"uid": uid, "login": conn.hget(f"user:{uid}", "login")} if uid else None

    def page(title: str, timeline: str, uid: str, **more: Any) -> str:
        statuses = [
            shown(status)
            for status in redis_in_action.get_status_messages(conn, uid, timeline, count=PAGE)
        ]
        return render_template("timeline.html", me=g.me, title=title, statuses=statuses, **more)

    @app.get("/home")
    def home() -> str | Response:
        return page("Home", "home:", g.me["uid"], composer=True) if g.me else redirect("/login")

    @app.get("/public")
    def public() -> str:
        return page("Public", "public:", "")

    @app.get("/@<login>")
    def profile(login: str) -> str:
        uid = conn.hget("users:", login) or abort(404)
        return page(login, "profile:", uid, profile=conn.hgetall(f"user:{uid}"))

    @app.get("/@<login>/<int:number>")
    def status(login: str, number: int) -> str:
        found = conn.hgetall(f"status:{number}") or abort(404)
        return render_template(
            "timeline.html", me=g.me, title=f"A post of @{login}", statuses=[shown(found)]
        )

    @app.post("/statuses")
    def post() -> Response:
        text = request.form.get("text", "").strip()
        if not g.me or not 0 < len(text) <= MOST:
            abort(422)
        redis_in_action.post_status(conn, g.me["uid"], text)
        return redirect("/home", 303)

    @app.post("/@<login>/follow")
    def follow(login: str) -> Response:
        other = conn.hget("users:", login) or abort(404)
        if not g.me:
            abort(403)
        redis_in_action.follow_user(conn, g.me["uid"], other)
        return redirect(f"/@{login}", 303)

    return app


def shown(status: dict[str, str]) -> dict[str, Any]:
    """Return a status for the templates."""
    login = status["login"]
    return {
        "id": status["id"],
        "login": login,
        "name": login,
        "text": status["message"],
        "posted": float(status["posted"]),
    }


def fill(conn: Redis, community: data.Community) -> dict[str, Any]:
    """Write the community, and return what a plan needs."""
    pipeline = conn.pipeline(False)

    def write(command: str, key: str, *parts: Any) -> None:
        pipeline.execute_command(command, key, *parts)
        if len(pipeline) >= CHUNK:
            pipeline.execute()

    follows = [
        (uid, place, other)
        for uid, many in community.follows.items()
        for place, other in enumerate(many)
    ]
    for uid in community.everybody:
        fields = {"login": data.login(uid), "id": uid, "name": data.name(uid), "bio": data.bio(uid)}
        fields |= {"followers": 0, "following": 0, "posts": 0, "signup": data.BEGAN}
        write("HSET", f"user:{uid}", *(part for field in fields.items() for part in field))
        write("HSET", "users:", data.login(uid), uid)
        write("HSET", "login:", token(uid), uid)
    for number, (uid, place, other) in enumerate(follows):
        at = (
            community.followed_at(place) + number / 1_000_000
        )  # no two are the same: the walk of 8.7 goes by them
        write("ZADD", f"following:{uid}", at, other)
        write("ZADD", f"followers:{other}", at, uid)
        write("HINCRBY", f"user:{uid}", "following", 1)
        write("HINCRBY", f"user:{other}", "followers", 1)
    for one in community.statuses:
        fields = {"message": one.text, "posted": one.at, "id": one.id, "uid": one.author}
        fields |= {"login": data.login(one.author)}
        write("HSET", f"status:{one.id}", *(part for field in fields.items() for part in field))
        write("HINCRBY", f"user:{one.author}", "posts", 1)
        write("ZADD", f"profile:{one.author}", one.at, one.id)
    write("SET", "status:id:", len(community.statuses))
    write(
        "ZADD",
        "public:",
        *(
            part
            for one in community.statuses[-redis_in_action.PUBLIC_SIZE :]
            for part in (one.at, one.id)
        ),
    )
    for uid, home, _ in community.homes(redis_in_action.HOME_TIMELINE_SIZE):
        write("ZADD", f"home:{uid}", *(part for one in home for part in (one.at, one.id)))
    pipeline.execute()
    numbers = {one.id: one.id for one in community.statuses}
    return plan.facts(
        community, {uid: f"token={token(uid)}" for uid in plan.signed_in(community)}, numbers
    )


def token(uid: int) -> str:
    """Return a member's login token."""
    return f"token-of-{uid:016}"


if __name__ == "__main__":
    if sys.argv[1] == "work":
        redis_in_action.work(connect())
    else:
        found = fill(connect(), data.Community(getattr(data, sys.argv[2])))
        Path(sys.argv[3]).write_text(json.dumps(found))
