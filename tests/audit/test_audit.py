"""The audit finds a planted secret, a planted licence and a known weakness."""

import json
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

from audit import components, outdated
from audit.weaknesses import parse

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-audit/bin/python"
LONG = [
    pytest.mark.long,
    pytest.mark.skipif(not PYTHON.exists(), reason="pip could not fetch the tools of the audit"),
]


def audit(module: str, *arguments: object) -> CompletedProcess[str]:
    """Run a check of the audit in its own environment."""
    command = [PYTHON, "-m", f"audit.{module}", *map(str, arguments)]
    return run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def plant(packages: Path, name: str, *lines: str) -> None:
    """Install a package that has nothing but metadata."""
    folder = packages / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    fields = ("Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines)
    (folder / "METADATA").write_text("\n".join(fields) + "\n")


def test_a_known_weakness_is_named_and_what_was_audited_is_said() -> None:
    weak = {"name": "wren", "version": "1.0", "vulns": [{"id": "PYSEC-2026-1"}]}
    sound = {"name": "finch", "version": "2.0", "vulns": []}
    unknown = {"name": "owl", "skip_reason": "Dependency not found"}
    answer = parse(json.dumps({"dependencies": [weak, sound, unknown]}))
    assert answer and answer.weaknesses == ["wren 1.0 has a known weakness: PYSEC-2026-1"]
    assert answer.summary.startswith("2 packages were audited") and "1 are not" in answer.summary


def test_an_index_without_such_data_is_not_taken_for_a_clean_one() -> None:
    unknown = {"name": "owl", "skip_reason": "Dependency not found"}
    answer = parse(json.dumps({"dependencies": [unknown]}))
    assert answer and answer.summary.startswith("No package was audited")
    for text in ("", "ERROR: no connection", "[]", "{}"):
        assert parse(text) is None


def test_newer_versions_are_told_and_are_no_fault() -> None:
    old = {"name": "wren", "version": "1.0", "latest_version": "2.0"}
    assert "wren 1.0 (2.0)" in outdated.parse(json.dumps([old]))
    assert outdated.parse("[]") == "No package has a newer version."
    for text in ("", "ERROR: no connection", "{}x", "[{}]"):
        assert outdated.parse(text).startswith("The index did not say")


class TestWithItsTools:
    pytestmark = LONG

    @pytest.mark.parametrize(
        "planted",
        [
            'KEY = "AKIA' + 'IOSFODNN7EXAMPLE"',
            "-----BEGIN RSA " + "PRIVATE KEY-----",
            'url = "smtps://linnet:h8fk2l' + 'Qp9s@mail.linnet.example"',
        ],
    )
    def test_a_planted_secret_is_found(self, tmp_path: Path, planted: str) -> None:
        file = tmp_path / "settings.py"
        file.write_text("name = 'linnet'\n")
        assert audit("leaks", file).returncode == 0
        file.write_text(f"name = 'linnet'\n{planted}\n")
        found = audit("leaks", file)
        assert found.returncode == 1 and f"{file}:2" in found.stdout, found.stderr
        assert "h8fk2l" not in found.stdout

    @pytest.mark.parametrize(
        ("fields", "allowed"),
        [
            (["License-Expression: MIT"], True),
            (["License-Expression: AGPL-3.0-only"], False),
            (["License-Expression: MIT AND AGPL-3.0-only"], False),
            (["License-Expression: MIT OR AGPL-3.0-only"], True),
            (["Classifier: License :: OSI Approved :: BSD License"], True),
            (["License: MIT", "Classifier: License :: OSI Approved :: GNU Affero GPL v3"], False),
            (["License: all mine"], False),
            (["License: 7, (8"], False),
            ([], False),
        ],
    )
    def test_a_planted_licence_is_found(
        self, tmp_path: Path, fields: list[str], allowed: bool
    ) -> None:
        plant(tmp_path, "wren", "License-Expression: BSD-3-Clause")
        plant(tmp_path, "owl", *fields)
        lock = tmp_path / "some.lock"
        lock.write_text("owl==1.0 \\\n    --hash=sha256:00\nwren==1.0 \\\n    --hash=sha256:01\n")
        found = audit("licences", tmp_path, lock)
        assert found.returncode == (0 if allowed else 1), found.stdout + found.stderr
        assert ("owl" in found.stdout) is not allowed and "wren" not in found.stdout

    def test_a_locked_package_that_nobody_installed_is_named(self, tmp_path: Path) -> None:
        lock = tmp_path / "some.lock"
        lock.write_text("owl==1.0 \\\n    --hash=sha256:00\n")
        assert "owl is locked and not installed" in audit("licences", tmp_path, lock).stdout


def test_all_packages_of_a_site_are_listed_with_their_hashes() -> None:
    lock = (ROOT / components.LOCK).read_text()
    listed = components.document(lock)["components"]
    assert len(listed) == lock.count("==") and len(listed) > 20
    assert sum(len(one["hashes"]) for one in listed) == lock.count("--hash=")
    flask = next(one for one in listed if one["name"] == "flask")
    assert flask["purl"] == f"pkg:pypi/flask@{flask['version']}" and flask["hashes"]
