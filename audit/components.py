"""List what a site is made of for programs that watch for weaknesses, in CycloneDX's JSON."""

import json
import re
from pathlib import Path
from typing import Any

LOCK = "requirements.lock"  # of what a site runs; the others have tools of developers
FILE = "build/components.cdx.json"
PACKAGE = re.compile(r"^([\w.-]+)==(\S+)((?:[\s\\]+--hash=\S+)*)", re.MULTILINE)
HASH = re.compile(r"sha256:([0-9a-f]{64})")


def write(lock: str, file: str) -> None:
    """Write the list of the packages of a lock to a file."""
    path = Path(file)
    path.parent.mkdir(exist_ok=True)
    listed = document(Path(lock).read_text())
    path.write_text(json.dumps(listed, indent=1) + "\n")
    print(f"{file} lists the {len(listed['components'])} packages that a site is made of.")


def document(lock: str) -> dict[str, Any]:
    """Return the list of the packages of a lock, each with the hashes of its files."""
    packages = PACKAGE.findall(lock)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [_component(name, version, hashes) for name, version, hashes in packages],
    }


def _component(name: str, version: str, hashes: str) -> dict[str, Any]:
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name.lower()}@{version}",
        "hashes": [{"alg": "SHA-256", "content": one} for one in HASH.findall(hashes)],
    }
