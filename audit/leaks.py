"""Look for secrets in the source, by detect-secrets. What it takes for one is in `known.txt`."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings

# Findings that somebody has looked at, one a line: file, kind and the SHA-1 of the text.
KNOWN = Path(__file__).with_name("known.txt")
# Hashes of packages look like secrets, and pictures are not read.
LEFT_OUT = (".lock", "package-lock.json", "requirements.txt", ".png", ".webp", ".gif", ".ico")
ACCEPT = "--accept"


def source_files() -> list[str]:
    """Return the files of the source, those included that the next commit may add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        name
        for name in listed.splitlines()
        if not name.endswith(LEFT_OUT) and Path(name).is_file() and Path(name) != _known()
    ]


def find(files: Sequence[str]) -> dict[str, str]:
    """Return what looks like a secret: its line in `known.txt`, and where it is."""
    found = SecretsCollection()
    with default_settings():
        found.scan_files(*files)
    return {
        f"{name} {one.type.replace(' ', '-')} {one.secret_hash}": f"{name}:{one.line_number}"
        for name, one in found
    }


def check(files: Sequence[str]) -> list[str]:
    """Return what looks like a secret and is not known."""
    found, known = find(files), set(KNOWN.read_text().splitlines())
    print(f"{len(files)} files were searched for secrets.")
    return [
        f"{place} may hold a secret ({line.split()[1]}). Take it out; if it is none, run: "
        f"python -m audit.leaks {ACCEPT}"
        for line, place in sorted(found.items())
        if line not in known
    ]


def _known() -> Path:
    return KNOWN.relative_to(Path.cwd()) if KNOWN.is_relative_to(Path.cwd()) else KNOWN


if __name__ == "__main__":
    if sys.argv[1:] == [ACCEPT]:
        KNOWN.write_text("".join(f"{line}\n" for line in sorted(find(source_files()))))
        sys.exit(0)
    problems = check(sys.argv[1:])
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
