"""Write docs/data-layout.md from the rooms' keys.

python -m webapp.core.store.schema_docs > docs/data-layout.md
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import webapp

from .connection import SCHEMA_VERSION
from .schema import Key

HEADER = f"""# Data layout

Every key that Linnet writes, room by room. `webapp/core/store/schema_docs.py` writes this page from
the `keys.py` of each room, and a test compares the two. The key `schema` says which layout a store
holds: `linnet:{SCHEMA_VERSION}`.

A key is `noun:{{tag}}:id:facet`. `<tag>` is the hash tag of one of 64 partitions (`uid % 64`,
`status id % 64`). All keys of one member lie in one slot of a Cluster, so one script can change
them atomically. On a single server the tag has no effect. Ids are numbers. A status id has 53
bits: 41 of milliseconds since 2026-01-01, 6 of sequence, 6 of partition.
"""


def rooms() -> dict[str, list[Key[...]]]:
    """Return the keys of every room, by the room's path below the package."""
    root = Path(webapp.__file__).parent
    found = {}
    for path in sorted(root.rglob("keys.py")):
        room = path.parent.relative_to(root)
        module = import_module(".".join((webapp.__name__, *room.parts, "keys")))
        found[room.as_posix()] = [
            value for value in vars(module).values() if isinstance(value, Key)
        ]
    return found


def render() -> str:
    """Return the page, as Markdown."""
    sections = (
        f"\n## {room}\n\n" + "\n".join(map(_entry, keys)) for room, keys in rooms().items() if keys
    )
    return HEADER + "".join(sections)


def _entry(key: Key[Any]) -> str:
    facts = (str(key.type), key.bound, f"written by {key.writers}")
    return f"### `{key.shape}`\n\n{key.doc}\n\n" + "".join(f"- {fact}\n" for fact in facts)


if __name__ == "__main__":
    print(render(), end="")
