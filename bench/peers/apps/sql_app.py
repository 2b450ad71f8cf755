"""Serve the same pages with Flask, SQLAlchemy and SQLite: a timeline is a query.

Indexes for each query and no other, WAL, everything that a page shows fetched with it (no query for
each status), form tokens by Flask-WTF, sessions by Flask's signed cookie. `DATABASE` names the
file. `python -m bench.peers.apps.sql_app fill SIZE FILE` fills it and writes to FILE what a plan
needs to know.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from flask import Flask, abort, g, redirect, render_template, request, session
from flask_wtf.csrf import CSRFProtect
from sqlalchemy import Engine, ForeignKey, Index, create_engine, event, func, insert, select, text
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship
from werkzeug.wrappers import Response

from bench.peers import data, plan

from .common import MOST, PAGE, create_app as bare

TOKEN = {"path": "/home", "pattern": r'name="csrf_token" value="([^"]+)"'}
SETTINGS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "cache_size = -65536",
    "busy_timeout = 5000",
)


class Base(DeclarativeBase):
    """Declare the base of all tables."""


class User(Base):
    """Store a member."""

    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    login: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    bio: Mapped[str]


class Status(Base):
    """Store a status."""

    __tablename__ = "statuses"
    id: Mapped[int] = mapped_column(primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    posted: Mapped[float]
    text: Mapped[str]
    author: Mapped[User] = relationship()
    __table_args__ = (Index("by_author", "author_id", "id"),)

    @property
    def login(self) -> str:
        """Return it from the author."""
        return self.author.login

    @property
    def name(self) -> str:
        """Return it from the author."""
        return self.author.name


class Follow(Base):
    """Store a follow."""

    __tablename__ = "follows"
    follower_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    target_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    since: Mapped[float]
    __table_args__ = (Index("by_target", "target_id"), {"sqlite_with_rowid": False})


def connect() -> Engine:
    """Open the database."""
    engine = create_engine(f"sqlite:///{os.environ['DATABASE']}", pool_size=16)

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: Any) -> None:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")

    return engine


def create_app() -> Flask:
    """Create the app."""
    app, engine = bare(__name__), connect()
    CSRFProtect(app)

    @app.before_request
    def begin() -> None:
        g.db = Session(engine, expire_on_commit=False)
        g.me = g.db.get(User, session["uid"]) if "uid" in session else None

    @app.teardown_request
    def end(_: BaseException | None) -> None:
        g.db.close()

    @app.get("/home")
    def home() -> str | Response:
        return page("Home", timeline(g.me.id), composer=True) if g.me else redirect("/login")

    @app.get("/public")
    def public() -> str:
        return page("Public", newest())

    @app.get("/@<login>")
    def profile(login: str) -> str:
        user = member(login)
        shown = {"login": user.login, "bio": user.bio} | counts(user.id)
        return page(user.name, newest().where(Status.author_id == user.id), profile=shown)

    @app.get("/@<login>/<int:number>")
    def status(login: str, number: int) -> str:
        found = g.db.get(Status, number, options=[joinedload(Status.author)])
        if not found or found.login != login:
            abort(404)
        return render_template(
            "timeline.html", me=g.me, title=f"A post of {found.name}", statuses=[found]
        )

    @app.post("/statuses")
    def post() -> Response:
        words = request.form.get("text", "").strip()
        if not g.me or not 0 < len(words) <= MOST:
            abort(422)
        g.db.add(Status(author_id=g.me.id, posted=time.time(), text=words))
        g.db.commit()
        return redirect("/home", 303)

    @app.post("/@<login>/follow")
    def follow(login: str) -> Response:
        if not g.me:
            abort(403)
        row = {"follower_id": g.me.id, "target_id": member(login).id, "since": time.time()}
        g.db.execute(upsert(Follow).values(row).on_conflict_do_nothing())
        g.db.commit()
        return redirect(f"/@{login}", 303)

    return app


def page(title: str, wanted: Any, **more: Any) -> str:
    """Render a page of statuses."""
    statuses = g.db.scalars(wanted).all()
    older = statuses[PAGE - 1].id if len(statuses) > PAGE else None
    return render_template(
        "timeline.html", me=g.me, title=title, statuses=statuses[:PAGE], older=older, **more
    )


def newest() -> Any:
    """Return the newest statuses with authors: a page, and one more to detect older ones."""
    return (
        select(Status)
        .options(joinedload(Status.author, innerjoin=True))
        .order_by(Status.id.desc())
        .limit(PAGE + 1)
    )


def timeline(uid: int) -> Any:
    """Return the newest statuses of a member and of their follows."""
    followed = select(Follow.target_id).where(Follow.follower_id == uid)
    return newest().where(Status.author_id.in_(followed) | (Status.author_id == uid))


def member(login: str) -> User:
    """Return the member of this name."""
    return g.db.scalar(select(User).where(User.login == login)) or abort(404)


def counts(uid: int) -> dict[str, int]:
    """Return the counts of a member's profile in one query."""
    sizes = {
        "posts": Status.author_id,
        "followers": Follow.target_id,
        "following": Follow.follower_id,
    }
    row = g.db.execute(
        select(
            *(
                select(func.count()).where(column == uid).scalar_subquery().label(size)
                for size, column in sizes.items()
            )
        )
    )
    return dict(row.mappings().one())


def fill(engine: Engine, community: data.Community) -> dict[str, Any]:
    """Write the community, and return what a plan needs."""
    Base.metadata.create_all(engine)
    users = [
        {"id": uid, "login": data.login(uid), "name": data.name(uid), "bio": data.bio(uid)}
        for uid in community.everybody
    ]
    follows = [
        {"follower_id": uid, "target_id": other, "since": community.followed_at(place)}
        for uid, many in community.follows.items()
        for place, other in enumerate(many)
    ]
    statuses = [
        {"id": s.id, "author_id": s.author, "posted": s.at, "text": s.text}
        for s in community.statuses
    ]
    with engine.begin() as connection:
        for table, rows in ((User, users), (Follow, follows), (Status, statuses)):
            connection.execute(insert(table), rows)
        connection.execute(text("ANALYZE"))
    signing = bare(__name__)
    signer = signing.session_interface.get_signing_serializer(signing)
    cookies = {uid: f"session={signer.dumps({'uid': uid})}" for uid in plan.signed_in(community)}
    return plan.facts(
        community, cookies, {status.id: status.id for status in community.statuses}, TOKEN
    )


if __name__ == "__main__":
    engine = connect()
    found = fill(engine, data.Community(getattr(data, sys.argv[2])))
    engine.dispose()  # so that all of it is in one file
    Path(sys.argv[3]).write_text(json.dumps(found))
