"""The shape of the code: imports go one way, keys are spelled in one place, views call no store command."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from webapp.config import Config, Rate
from webapp.core.store.schema import SCHEMA
from webapp.core.store.schema_docs import render

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "webapp"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Who may import whom: a room imports itself and the rooms before it. What is in no room is floor, but for the roofs.
ROOMS = [
    "accounts",
    "following",
    "statuses",
    "timelines",
    "lists",
    "chat",
    "notifications",
    "streaming",
]
ROOFS = set(
    "__init__ admin applying cli demo doctor operating servers supervisor uploads worker".split()
)  # they wire the rooms together
COMMANDS = {"run", "trip", "trip_with_errors", "on_every_primary"}


def room(module: str) -> int:
    """0 for the floor, 1 to 8 for a room, 9 for a roof."""
    first = module.split(".")[0]
    if first in ROOMS:
        return ROOMS.index(first) + 1
    return len(ROOMS) + 1 if first in ROOFS or not first else 0


def name(path: Path) -> str:
    """A module's dotted name below the package."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imports(path: Path, everywhere: bool = True) -> set[str]:
    """The modules of ours that a module imports, dotted, below the package; without those imported inside functions."""
    tree = ast.parse(path.read_text())
    base = name(path).split(".")[:-1]
    found = set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            start = base[: len(base) - (node.level - 1)]
            target = [*start, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                longer = PACKAGE.joinpath(*target, alias.name)
                whole = longer.with_suffix(".py").exists() or longer.is_dir()
                found.add(".".join([*target, alias.name] if whole else target))
    return found - {""}


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_go_one_way(path: Path) -> None:
    for imported in imports(path):
        assert room(imported) <= room(name(path)), f"{name(path)} must not import {imported}"


def test_no_room_imports_a_view_of_another() -> None:
    for path in MODULES:
        for imported in imports(path):
            if imported.endswith("views"):
                assert room(name(path)) > len(ROOMS), f"{name(path)} imports {imported}"


def test_modules_import_each_other_in_no_circle() -> None:
    graph = {name(path): imports(path, everywhere=False) for path in MODULES}
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " → ".join((*above, module))
        if module not in done:
            for imported in graph.get(module, ()):
                visit(imported, (*above, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_a_key_is_spelled_in_one_place_only() -> None:
    nouns = {builder.shape.split(":")[0] for builder in SCHEMA if ":" in builder.shape}
    literal = re.compile(rf"""["'](?:{"|".join(nouns)}):\{{""")
    for path in [*MODULES, *PACKAGE.rglob("*.lua")]:
        if path.name != "core/store/keys.py":
            assert not literal.search(path.read_text()), path


def test_a_view_calls_no_store_command() -> None:
    for path in PACKAGE.rglob("*views.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                on_db = (
                    isinstance(node.func.value, ast.Call)
                    and getattr(node.func.value.func, "id", "") == "db"
                )
                assert not (on_db and node.func.attr in COMMANDS), f"{path}:{node.lineno}"
        assert not {"keys", "db.script"} & imports(path), path


def test_only_db_pipelines() -> None:
    for path in MODULES:
        if name(path) not in ("db", "bell"):
            assert not re.search(r"\.pipeline\(|pack_command|send_packed", path.read_text()), path


def test_the_data_layout_page_is_what_the_schema_says() -> None:
    assert (ROOT / "docs/data-layout.md").read_text() == render()


def test_every_key_says_its_type_its_bound_and_its_writers() -> None:
    for builder in SCHEMA:
        facts = builder.doc.split("\n\n", 1)[1]
        assert facts.count(" · ") == 2 and "written by" in facts, builder.name
        for written in re.findall(r"`([\w/]+\.(?:lua|py))`", facts):
            assert (PACKAGE / written).exists(), f"{builder.name} names {written}"


def test_files_and_functions_stay_short() -> None:
    for path in MODULES:
        source = path.read_text()
        if name(path) != "keys":
            assert source.count("\n") <= 260, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 40, f"{path}: {node.name}"


def test_the_readme_lists_every_setting_with_its_default() -> None:
    readme = (ROOT / "README.md").read_text()
    for field in fields(Config):
        default = field.default
        shown = f"{default.burst}/{default.period}" if isinstance(default, Rate) else default
        shown = (
            {"": "–", True: "yes", False: "no"}.get(shown, shown)
            if isinstance(shown, str | bool)
            else shown
        )
        assert f"| `{field.name.upper()}` | {shown} |" in readme, field.name


def test_the_modules_of_the_pages_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (ROOT / "static/js").glob("*.js")}
    of_chats = {name for name in sizes if name.startswith("chat")}
    of_pictures = {"lightbox.js", "attach.js"}  # loaded once one is to be looked at or chosen
    assert sum(size for name, size in sizes.items() if name not in of_chats | of_pictures) < 15_760
    assert sum(sizes[name] for name in of_pictures) < 4_000
    # Open chats alone load these; every page of a member has the one that listens for what is unread.
    assert sum(sizes[name] for name in of_chats) < 26_000
    assert sizes["chat-stream.js"] < 2_500
