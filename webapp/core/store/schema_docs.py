"""Write docs/data-layout.md from the rooms' keys.

python -m webapp.core.store.schema_docs > docs/data-layout.md
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import webapp

from .connection import SCHEMA_VERSION
from .schema import Key
from .script_headers.parsing import parse_header

PACKAGE = Path(webapp.__file__).parent

HEADER = f"""# Data layout

Every key that Linnet writes, room by room. `webapp/core/store/schema_docs.py` writes this page from
the `keys.py` of each room and the headers of scripts, and a test compares the two. Scripts that
emit events write `outbox` too, and those of projections `fences`. The key `schema` says which
layout a store holds: `linnet:{SCHEMA_VERSION}`.

A key is `noun:{{tag}}:id:facet`. `<tag>` is the hash tag of one of 64 partitions (`uid % 64`,
`status id % 64`). All keys of one member lie in one slot of a Cluster, so one script can change
them atomically. On a single server the tag has no effect. Ids are numbers. A status id has 53
bits: 41 of milliseconds since 2026-01-01, 6 of sequence, 6 of partition.
"""


def rooms() -> dict[str, dict[str, Key]]:
    """Return the keys of every room by their names, by the room's path below the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("keys.py")):
        room = path.parent.relative_to(PACKAGE)
        module = import_module(".".join((webapp.__name__, *room.parts, "keys")))
        found[room.as_posix()] = {
            name: value for name, value in vars(module).items() if isinstance(value, Key)
        }
    return found


def render() -> str:
    """Return the page, as Markdown."""
    uses = _Uses()
    sections = (
        f"\n## {room}\n\n"
        + "\n".join(_entry(key, uses.facts(room, name)) for name, key in keys.items())
        for room, keys in rooms().items()
        if keys
    )
    return HEADER + "".join(sections)


class _Uses:
    """Which scripts write and read each key, by their headers, and which modules name it."""

    def __init__(self) -> None:
        self._writers: dict[Key, list[str]] = defaultdict(list)
        self._readers: dict[Key, list[str]] = defaultdict(list)
        for path in sorted(PACKAGE.rglob("lua/*.lua")):
            script = path.relative_to(PACKAGE).as_posix()
            header = parse_header(script, path.read_text())
            for key in header.keys:
                if key.call:
                    uses = self._writers if key.name in header.writes else self._readers
                    uses[key.call.key].append(f"`{script}`")
        self._modules = _modules_by_key()

    def facts(self, room: str, name: str) -> Iterator[str]:
        """Yield the users of a key. Every script that emits an event writes an outbox."""
        key = getattr(import_module(f"webapp.{room.replace('/', '.')}.keys"), name)
        for verb, users in (
            ("written by", self._writers[key]),
            ("read by", self._readers[key]),
            ("named in", self._modules[room, name]),
        ):
            if users:
                yield f"{verb} {', '.join(users)}"


def _modules_by_key() -> dict[tuple[str, str], list[str]]:
    """Return the modules that name each key, by the key's room and name."""
    modules: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name == "keys.py":
            continue
        tree = ast.parse(path.read_text())
        rooms_by_alias = dict(_key_imports(tree, path.relative_to(PACKAGE).parent.parts))
        names = {
            (rooms_by_alias[node.value.id], node.attr)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in rooms_by_alias
        }
        for key in names:
            modules[key].append(f"`{path.relative_to(PACKAGE).as_posix()}`")
    return modules


def _key_imports(tree: ast.Module, folder: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the names under which a module in `folder` imports `keys` modules, and their rooms."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parts = folder[: len(folder) - node.level + 1] if node.level else ()
            module = (*parts, *(node.module or "").removeprefix("webapp.").split("."))
            for alias in node.names:
                if alias.name == "keys":
                    yield alias.asname or alias.name, "/".join(filter(None, module))


def _entry(key: Key, uses: Iterable[str]) -> str:
    facts = (str(key.type), key.bound, *uses)
    return f"### `{key.shape}`\n\n{key.doc}\n\n" + "".join(f"- {fact}\n" for fact in facts)


if __name__ == "__main__":
    print(render(), end="")
