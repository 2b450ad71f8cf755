"""The command line: that each command is found, and that processes that stay load little."""

import subprocess
import sys

import pytest
from click import Context

from tests.support.processes import ROOT
from webapp.cli import main

ROOMS = "accounts.keys accounts.owner admin.command_options admin.setup"
LIGHT = tuple(f"{name}." for name in f"cli config core features limits server {ROOMS}".split())
PACKAGES = {"accounts", "admin", "site_settings"}
LOADED = (
    "import sys, webapp.cli, webapp.server.supervisor;"
    "print(*(name for name in sys.modules if name.startswith('webapp.')))"
)


@pytest.mark.parametrize("name", main.list_commands(Context(main)))
def test_a_command_is_found_by_its_name_and_the_readme_has_it(name: str) -> None:
    command = main.get_command(Context(main), name)
    assert command and command.name == name and command.get_short_help_str()
    assert f"`linnet {name}" in (ROOT / "README.md").read_text()


def test_the_process_that_watches_the_others_loads_no_room() -> None:
    loaded = subprocess.check_output([sys.executable, "-c", LOADED], text=True).split()
    names = [name.removeprefix("webapp.") for name in loaded]
    assert "server.supervisor" in names
    assert not [name for name in names if not f"{name}.".startswith(LIGHT) and name not in PACKAGES]
