"""Reads as values: how they are combined."""

from webapp.core.store import collect, read
from webapp.core.store.reads import distinct


def test_distinct_commands_are_sent_once_and_every_read_gets_its_reply() -> None:
    names = ("ann", "ben", "ann", "ann", "cat")
    one = distinct(collect(read(("GET", name), str.upper) for name in names))
    assert one.commands == (("GET", "ann"), ("GET", "ben"), ("GET", "cat"))
    assert one.parse(["a", "b", "c"]) == ["A", "B", "A", "A", "C"]


def test_distinct_of_no_commands_sends_none() -> None:
    one = distinct(collect([]))
    assert one.commands == () and one.parse([]) == []
