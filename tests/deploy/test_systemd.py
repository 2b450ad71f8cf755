"""The units of deploy/systemd: what they run, with which settings, and what they may do."""

import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from dataclasses import fields
from pathlib import Path

import pytest
from click import Context

from tests.support.processes import ROOT
from webapp.cli import main
from webapp.config import Config, load

FOLDER = ROOT / "deploy/systemd"
UNITS = sorted(path.name for path in FOLDER.glob("*.service"))
COMMON = FOLDER / "linnet-.service.d/common.conf"
PROGRAM = "/opt/linnet/.venv/bin/linnet"
EXPOSURE_MAX = 15  # tenths, on systemd's scale from 0 to 100; above 20 it is no longer "OK"
ANALYZE = shutil.which("systemd-analyze")


def version() -> int:
    """Return systemd's version, 0 where there is none."""
    if not ANALYZE:
        return 0
    return int(subprocess.check_output([ANALYZE, "--version"], text=True).split()[1])


# Older ones cannot look at units that are not installed.
needs_systemd = pytest.mark.skipif(version() < 250, reason="there is no systemd-analyze 250")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder like the root of a machine on which the units are installed."""
    shutil.copytree(FOLDER, tmp_path / "etc/systemd/system")
    program = tmp_path / PROGRAM[1:]
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    own = Path("/usr/lib/systemd")
    (tmp_path / "usr/lib").mkdir(parents=True)
    shutil.copytree(own / "system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    return tmp_path


def instance(unit: str) -> str:
    return unit.replace("@.", "@8002.")


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_runs_a_command_of_linnet_with_the_common_settings(unit: str) -> None:
    assert unit.startswith("linnet-"), "common.conf is for names that begin so"
    parser = RawConfigParser(strict=False)
    parser.read(FOLDER / unit)
    program, command, *options = shlex.split(parser["Service"]["ExecStart"])
    assert program == PROGRAM
    arguments = [option.replace("%i", "8002") for option in options]
    found = main.get_command(Context(main), command)
    assert found and found.make_context(command, arguments)


def test_units_give_a_drain_its_time_and_settings_are_known() -> None:
    lines = (FOLDER / "linnet.env").read_text().splitlines()
    pairs = [line.lstrip("#").split("=", 1) for line in lines if "=" in line and "# " not in line]
    environment = dict(pairs)
    assert {name.lower() for name in environment} <= {field.name for field in fields(Config)}
    config = load({}, environment)
    assert config.drain_seconds and config.trusted_proxies
    common = dict(line.split("=", 1) for line in COMMON.read_text().splitlines() if "=" in line)
    name, _, folder = common["Environment"].partition("=")
    assert load({}, {**environment, name: folder}).data_dir == Path(folder)
    assert folder == f"/var/lib/{common['StateDirectory']}", "nothing else may be written to"
    assert common["KillMode"] == "mixed"
    assert int(common["TimeoutStopSec"]) > config.drain_seconds + 10


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_finds_nothing_wrong_and_little_exposed(root: Path, unit: str) -> None:
    place = [f"--root={root}", instance(unit)]
    for check in (
        ["verify", "--man=no", "--generators=no"],
        ["security", "--offline=yes", f"--threshold={EXPOSURE_MAX}"],
    ):
        result = subprocess.run([ANALYZE or "", *check, *place], capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "linnet" not in result.stderr, result.stderr
