"""The measurements use what the site has."""

from importlib import import_module


def test_all_measurements_can_be_imported() -> None:
    assert import_module("bench.__main__")
