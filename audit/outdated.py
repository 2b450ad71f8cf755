"""Ask the package index which packages of the site have newer versions. That is no fault."""

import json
import subprocess

PYTHON = ".venv/bin/python"
COMMAND = ("-m", "pip", "--disable-pip-version-check", "list", "--outdated", "--format", "json")
PATIENCE = 300  # seconds


def parse(text: str) -> str:
    """Return what pip's JSON says, in a sentence."""
    try:
        packages = [
            f"{one['name']} {one['version']} ({one['latest_version']})" for one in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError):
        return "The index did not say which packages have newer versions."
    if not packages:
        return "No package has a newer version."
    return f"Newer versions, which `make lock UPGRADE=--upgrade` takes: {', '.join(packages)}."


def tell() -> None:
    """Print which packages have newer versions."""
    try:
        done = subprocess.run([PYTHON, *COMMAND], capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        print(parse(""))
    else:
        print(parse(done.stdout))
