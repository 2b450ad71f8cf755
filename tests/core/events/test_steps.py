"""Projections in steps: what they share, and what one that is refused does to the others."""

from collections.abc import Sequence

import pytest
from redis.exceptions import ResponseError

from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Context, Event, in_steps, together, with_request_id
from webapp.core.logs import request_id
from webapp.core.store import Db, Steps, ask, constant, do_steps, read, send
from webapp.core.store.steps import in_order, outcomes_of

FIRST, SECOND = "first:{0}", "second:{5}"


def test_projections_share_their_trips_and_get_their_own_replies(db: Db, config: Config) -> None:
    found: list[object] = []

    @in_steps
    def short(context: Context, events: Sequence[Event]) -> Steps[None]:
        """Set a key."""
        found.append((yield from send(("SET", FIRST, 1), ("INCR", FIRST))))

    @in_steps
    def long(context: Context, events: Sequence[Event]) -> Steps[None]:
        assert (yield from ask(constant("known"))) == "known"
        assert (yield from send()) == ()
        yield from send(("SET", SECOND, "a"))
        found.append((yield from ask(read(("GET", SECOND), str))))
        yield from send(("DEL", SECOND))

    @in_steps
    def idle(context: Context, events: Sequence[Event]) -> Steps[None]:
        yield from send()

    before = db.trips
    together(idle, short, together(long))(Context(db, config, lambda: None), [])
    assert db.trips - before == 3
    assert found == [["OK", 2], "a"]
    assert short.__doc__ == "Set a key." and short.__name__ == "short"  # type: ignore[attr-defined]
    idle(Context(db, config, lambda: None), [])
    assert db.trips - before == 3
    db.run(("DEL", FIRST))


def test_a_refusal_ends_all_that_share_the_trip(db: Db) -> None:
    done = []

    def refused() -> Steps[None]:
        yield from send(("SET", FIRST, "text"))
        yield from send(("INCR", FIRST))

    def other() -> Steps[None]:
        yield from send(("SET", SECOND, 1))
        yield from send(("SET", SECOND, 2))
        done.append(True)

    with pytest.raises(ResponseError):
        do_steps(db, refused(), other())
    assert done == []
    db.trip(("DEL", FIRST), ("DEL", SECOND))


def test_an_error_of_one_does_not_stop_the_others(db: Db) -> None:
    def broken() -> Steps[None]:
        yield from send(("SET", FIRST, 1))
        raise ValueError("broken")

    def other() -> Steps[None]:
        yield from send(("SET", SECOND, 1))
        yield from send(("SET", SECOND, 2))

    with pytest.raises(ValueError, match="broken"):
        do_steps(db, broken(), other())
    assert db.trip(("GET", FIRST), ("GET", SECOND)) == ["1", "2"]
    db.trip(("DEL", FIRST), ("DEL", SECOND))


def test_groups_are_sent_in_order_in_one_trip_where_one_server_does_them(db: Db) -> None:
    found = []

    def steps() -> Steps[None]:
        groups = [("SET", FIRST, 1), ("SET", SECOND, 2)], [], [("GET", FIRST), ("GET", SECOND)]
        found.append((yield from in_order(db, *groups)))

    before = db.trips
    do_steps(db, steps())
    assert found == [[["OK", "OK"], [], ["1", "2"]]]
    assert db.trips - before == (1 if db.is_single_server else 2)
    db.trip(("DEL", FIRST), ("DEL", SECOND))


def test_outcomes_are_apart_though_the_trips_are_shared(db: Db) -> None:
    def whole(name: str) -> Steps[str]:
        yield from send(("SET", SECOND, name))
        return str((yield from send(("GET", SECOND)))[0])

    def refused() -> Steps[str]:
        yield from send(("SET", FIRST, "text"))
        try:
            yield from send(("INCR", FIRST), ("SET", FIRST, 2))
        except ResponseError:
            yield from send(("APPEND", FIRST, "!"))
            raise
        return "not refused"

    before = db.trips
    refusal, result = outcomes_of(db, [refused(), whole("a")])
    assert isinstance(refusal, ResponseError)
    assert result == "a"
    assert db.trips - before == 3
    assert db.run(("GET", FIRST)) == "2!"
    db.trip(("DEL", FIRST), ("DEL", SECOND))


def test_all_learn_that_the_store_does_not_answer(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    def asks(reads: int) -> Steps[int]:
        for _ in range(reads):
            yield from send(("GET", FIRST))
        return reads

    trip = db.trip_with_errors

    def fail_twice(commands: Sequence[object]) -> list[object]:
        if len(commands) < 3:
            raise Unavailable("store_down")
        return trip(commands)  # type: ignore[arg-type]

    monkeypatch.setattr(db, "trip_with_errors", fail_twice)
    first, *others = outcomes_of(db, [asks(1), asks(2), asks(2)])
    assert first == 1
    assert [type(one) for one in others] == [Unavailable, Unavailable]


def test_interleaved_steps_keep_their_request_ids(db: Db) -> None:
    seen: list[tuple[str, str]] = []

    def steps(name: str) -> Steps[None]:
        for _ in range(2):
            seen.append((name, request_id.get()))
            yield from send(("GET", FIRST))
        with pytest.raises(ResponseError):
            yield from send(("INCR", "no", "number"))
        seen.append((name, request_id.get()))

    before = request_id.get()
    outcomes_of(db, [with_request_id(name, steps(name)) for name in ("one", "two")])
    assert seen == [("one", "one"), ("two", "two")] * 3
    assert request_id.get() == before
