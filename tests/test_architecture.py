"""The shape of the code: what imports what, how long files are, what is said in one place only."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

import webapp.registry
from tests.support.modules import MODULES, PACKAGE, reads_modules, tree_of
from webapp.config import Config
from webapp.core.store.schema_docs import render as render_schema, rooms
from webapp.core.store.script_headers.parsing import parse_header

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(PACKAGE.rglob("*.lua"))

pytestmark = [reads_modules, pytest.mark.tables]

# Each room imports itself and those on lines above it. Any module may import any `keys.py`.
ORDER = [
    {"features", "limits", "site_settings", "config"},
    {"core"},
    {"pagecache", "server"},
    {"about"},
    {"mail"},
    {"accounts"},
    {"following"},
    {"statuses"},
    {"autocomplete"},
    {"reports"},
    {"timelines"},
    {"sharing"},
    {"lists"},
    {"search"},
    {"chat"},
    {"explore"},
    {"notifications"},
    {"moderation"},
    {"client_api"},
    {"streaming"},
    {"metrics", "access_log"},
    {"community"},
    {"rewards"},
    {"archive"},
    {"registry"},
    {"admin", "demo"},
    {"blueprints"},
    {"app"},
    {""},  # webapp/__init__.py
    {"cli"},
]
STORE_CALLS = {"run", "trip", "trip_with_errors", "trip_all", "on_every_primary"}

LAYERS = {"views", "forms", "store", "keys", "projections", "pages", "work"}
FILE_LINES_MAX = 245
FUNCTION_LINES_MAX = 39
SCRIPT_LINES_MAX = 40
FOLDER_FILES_MAX = 12


def module_name(path: Path) -> str:
    """Return a module's dotted name below the package; "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_rank(module: str) -> int:
    """Return the line of ORDER that a module's room is on."""
    room = module.split(".")[0]
    ranks = [rank for rank, names in enumerate(ORDER) if room in names]
    assert ranks, f"add the room {room} to ORDER, and to the table of docs/architecture.md"
    return ranks[0]


@cache
def imports(path: Path, in_functions: bool = True) -> frozenset[str]:
    """Return the modules of the package that a module imports, `TYPE_CHECKING` ones included."""
    base = list(path.relative_to(PACKAGE).parts[:-1])
    found = set()
    for node in ast.walk(tree_of(path)) if in_functions else top_level(tree_of(path)):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = node.module.split(".") if node.module else []
        if node.level:
            parts = base[: len(base) - (node.level - 1)] + parts
        elif parts[0] == "webapp":
            parts = parts[1:]
        else:
            continue
        for alias in node.names:
            longer = PACKAGE.joinpath(*parts, alias.name)
            is_module = longer.with_suffix(".py").exists() or longer.is_dir()
            found.add(".".join([*parts, alias.name] if is_module else parts))
    return frozenset(found)


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield a module's statements, and those in `if` statements, such as `if TYPE_CHECKING:`."""
    for node in tree.body:
        yield node
        if isinstance(node, ast.If):
            yield from node.body


def is_keys(module: str) -> bool:
    return module.split(".")[-1] == "keys"


def test_imports_go_one_way() -> None:
    wrong = [
        f"{module_name(path)} must not import {imported}"
        for path in MODULES
        for imported in imports(path)
        if not is_keys(imported) and room_rank(imported) > room_rank(module_name(path))
    ]
    assert wrong == []


def test_modules_import_each_other_in_no_cycle() -> None:
    assert cycles({module_name(path): imports(path, False) for path in MODULES}) == set()


def test_core_imports_no_room() -> None:
    for path in MODULES:
        for imported in imports(path):
            if module_name(path).startswith("core.") and not is_keys(imported):
                assert room_rank(imported) <= room_rank("core"), f"{path} imports {imported}"


def test_folders_of_a_room_depend_on_each_other_in_no_cycle() -> None:
    """A room's folders can be read one after another. The modules beside them may use any."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        if (folder := folder_of(module_name(path))) and not is_keys(module_name(path)):
            used = {folder_of(one) for one in imports(path) if not is_keys(one)} - {None, folder}
            graph.setdefault(folder, set()).update(one for one in used if one)
    assert cycles(graph) == set()


def folder_of(module: str) -> str | None:
    """Return the folder of a room that a module is in; None for one beside the folders."""
    parts = module.split(".")
    return ".".join(parts[:2]) if PACKAGE.joinpath(*parts[:2]).is_dir() and parts[1:] else None


def cycles(graph: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """Return the sets of nodes that lead to each other (strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = set()

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for following in graph[node]:
            if following not in graph:
                continue
            if following not in index:
                visit(following)
                low[node] = min(low[node], low[following])
            elif following in stack:
                low[node] = min(low[node], index[following])
        if low[node] == index[node]:
            start = stack.index(node)
            component = frozenset(stack[start:])
            del stack[start:]
            if len(component) > 1:
                found.add(component)

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_modules_of_a_room_have_names_of_their_own() -> None:
    """Names that say which layer a module is are the exception: each feature has its own."""
    names: dict[tuple[str, str], list[str]] = {}
    for path in MODULES:
        room = path.relative_to(PACKAGE).parts[0]
        if path.stem not in {*LAYERS, "__init__"}:
            names.setdefault((room, path.stem), []).append(module_name(path))
    assert [modules for modules in names.values() if len(modules) > 1] == []


def test_no_room_imports_the_views_of_another() -> None:
    for path in MODULES:
        room = module_name(path).split(".")[0]
        for imported in imports(path):
            if imported.endswith("views") and room not in ("app", "blueprints"):
                assert imported.split(".")[0] == room, f"{path} imports {imported}"


def test_a_view_sends_no_command() -> None:
    for path in PACKAGE.rglob("*views.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert not (
                    isinstance(node.func.value, ast.Call)
                    and getattr(node.func.value.func, "id", "") == "db"
                    and node.func.attr in STORE_CALLS
                ), f"{path}:{node.lineno}"
        assert not any(map(is_keys, imports(path))), f"{path} imports keys"
        loads = re.search(r"\bimport\b.*\bscript\b|\bstore\.scripts\b", path.read_text())
        assert not loads, f"{path} loads a script"


def test_a_header_names_keys_of_its_own_room_and_those_above_it() -> None:
    reaches = {
        (str(path.relative_to(PACKAGE)), key.call.room)
        for path in SCRIPTS
        if "includes" not in path.parts
        for key in parse_header(str(path), path.read_text()).keys
        if key.call and room_rank(key.call.room) > room_rank(path.relative_to(PACKAGE).parts[0])
    }
    assert reaches == {  # what a room still reads or writes of one below it
        ("autocomplete/lua/recent_contacts.lua", "chat.inbox"),
        ("statuses/interactions/lua/drop_boost.lua", "timelines.trends"),
        ("timelines/lua/count_public_lists.lua", "lists"),
    }


def test_a_call_passes_no_key_but_where_its_caller_chooses_one() -> None:
    chosen = {
        f"{path.relative_to(PACKAGE)} {key.name}"
        for path in SCRIPTS
        if "includes" not in path.parts
        for key in parse_header(str(path), path.read_text()).keys
        if not (key.call or key.is_added or key.kind == "...")
    }
    assert chosen == {  # the key is of one of several declarations, or may be left out
        "accounts/collections/lua/add.lua items",
        "accounts/collections/lua/add.lua within",
        "accounts/collections/lua/remove.lua group_prefix",
        "accounts/collections/lua/remove.lua groups",
        "accounts/collections/lua/remove.lua items",
        "accounts/lua/claim_login.lua login",
        "accounts/lua/release_claim.lua login",
        "accounts/tokens/lua/revoke.lua entry",
        "accounts/tokens/lua/revoke.lua list",
        "admin/lua/reseal.lua entry",
        "admin/verify/lua/drop_entry.lua list",
        "core/events/lua/park.lua events",
        "core/events/lua/sync_entry.lua account",
        "core/events/lua/sync_entry.lua entries",
        "core/store/bloom/lua/add.lua filter",
        "core/store/bloom/lua/contains.lua filter",
        "core/web/lua/rate_limit.lua bucket",
        "following/lua/sync_follower.lua followers",
        "notifications/lua/notify.lua status",
        "notifications/lua/verify_source.lua source_key",
        "statuses/attachments/lua/erase_places.lua list",
        "statuses/interactions/lua/sync_interaction.lua members",
        "statuses/lua/index_media.lua list",
        "statuses/lua/purge_deleted_account.lua list",
        "statuses/lua/read_author_page.lua replies",
        "timelines/home/lua/read_home.lua session",
        "timelines/lua/expire_inactive.lua active",
        "timelines/lua/expire_inactive.lua timelines",
        "timelines/tags/lua/refold_tag.lua tags",
    }


def test_a_key_is_spelled_in_keys_modules_only() -> None:
    nouns = {key.shape.split(":")[0] for keys in rooms().values() for key in keys.values()}
    literal = re.compile(rf"""["'](?:{"|".join(nouns)}):\{{""")
    for path in [*MODULES, *SCRIPTS]:
        if path.name != "keys.py":
            assert not literal.search(path.read_text()), path


def test_only_the_store_uses_connections() -> None:
    allowed = {"core.store.servers.exchange", "core.store.pubsub"}
    for path in MODULES:
        if module_name(path) not in allowed:
            assert not re.search(r"\.pipeline\(|pack_command|send_packed", path.read_text()), path


@cache
def schema_page() -> str:
    """Return the page that the schema makes."""
    return render_schema()


def test_the_data_layout_page_is_what_the_schema_says() -> None:
    page = (ROOT / "docs/data-layout.md").read_text()
    assert page == schema_page(), (
        "run: python -m webapp.core.store.schema_docs > docs/data-layout.md"
    )


def test_every_key_says_its_bound_and_is_used() -> None:
    entries = re.findall(r"### `(.+)`\n([^#]+)", schema_page())
    used = tuple(shape for shape, text in entries if re.search(r"- (?:written|read|named) ", text))
    for room, keys in rooms().items():
        for key in keys.values():
            assert key.bound and key.doc, f"{room}: {key.shape}"
            assert key.shape.startswith(used), f"nothing uses {key.shape}"
            for path in re.findall(r"`([\w/]+\.(?:lua|py))`", key.doc):
                assert (PACKAGE / path).exists(), f"{key.shape} names {path}"


def test_folders_show_a_dozen_files_at_most() -> None:
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())):
        names = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(names) <= FOLDER_FILES_MAX, f"move some to a folder of their own: {folder}"
    assert len(list(PACKAGE.glob("*.py"))) <= 8, "the package shows eight files at most"


def test_files_are_short() -> None:
    lines = {module_name(path): path.read_text().count("\n") for path in MODULES}
    assert {name: count for name, count in lines.items() if count > FILE_LINES_MAX} == {}


def test_functions_are_short() -> None:
    lines = {
        f"{module_name(path)}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: count for name, count in lines.items() if count > FUNCTION_LINES_MAX} == {}


def test_scripts_are_short() -> None:
    for path in SCRIPTS:
        lines = path.read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.strip().startswith("--")]
        assert len(code) <= SCRIPT_LINES_MAX, path
        assert max(map(len, lines)) <= 100, path


def test_every_event_of_the_registry_is_described() -> None:
    described = set(re.findall(r"\b[a-z_]+\b", webapp.registry.__doc__ or ""))
    registry = webapp.registry.REGISTRY
    for projections in (*registry.projections.values(), registry.bulk):
        found = projections.keys() - described
        assert not found, f"describe them at the top of webapp/registry/__init__.py: {found}"


def test_the_readme_lists_every_setting_with_its_default() -> None:
    readme = (ROOT / "README.md").read_text()
    settings = [field for field in fields(Config) if field.name in Config.__annotations__]
    assert len(settings) <= 40
    for field in settings:
        default = "–" if field.default == "" else field.default
        if isinstance(default, bool):
            default = "yes" if default else "no"
        row = f"| `{field.name.upper()}` | {default} |"
        assert row in readme, f"the table of settings in README.md lacks: {row}"


def test_no_module_imports_tests_of_another() -> None:
    """What several tests use is in `tests/support/` or a `conftest.py`."""
    paths = set((ROOT / "tests").rglob("*.py"))
    tests = {path.stem for path in paths if path.stem.startswith("test_")}
    imported = re.compile(r"^[ \t]*from ([\w.]+) import (\([^)]*\)|.*)", re.M)
    for path in paths:
        for module, names in imported.findall(path.read_text()):
            words = {module.rpartition(".")[2], *re.findall(r"\w+", names)}
            assert not tests & words, f"{path} imports {module}"
