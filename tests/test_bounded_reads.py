"""No collection without a bound is read as a whole."""

import ast
import re

from tests.support.modules import MODULES, PACKAGE, reads_modules, tree_of
from webapp.core.store.script_headers.parsing import parse_header

pytestmark = reads_modules

WHOLE = re.compile(
    r'"(?:SMEMBERS|HGETALL|HKEYS|HVALS)",\s*[\w.]*?(\w+)\('
    r'|"(?:ZRANGE|LRANGE)",\s*[\w.]*?(\w+)\([^\n]*?\),\s*0,\s*-1\b'
)
WHOLE_IN_LUA = re.compile(
    r"'(?:SMEMBERS|HGETALL|HKEYS|HVALS)',\s*(\w+)\)|'(?:ZRANGE|LRANGE)',\s*(\w+),\s*0,\s*-1\b"
)


def unbounded_keys() -> set[str]:
    """Return the names of the collections that are declared without a bound."""
    names = set()
    for path in PACKAGE.rglob("keys.py"):
        for node in tree_of(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                bounds = [one.value for one in node.value.keywords if one.arg == "bound"]
                for bound in bounds:
                    if isinstance(bound, ast.Constant) and str(bound.value).startswith("no bound"):
                        names |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    return names


def test_no_unbounded_collection_is_read_as_a_whole() -> None:
    unbounded = unbounded_keys()
    assert {"followers", "blockers", "profile_statuses", "likers"} <= unbounded
    found = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in MODULES
        for match in WHOLE.finditer(path.read_text())
        for name in match.groups()
        if name in unbounded
    }
    assert found == set()


def keys_of_scripts() -> dict[tuple[str, str], set[str]]:
    """Return the names of the keys that scripts get, by the script's path and its name for each.

    The header names them, or the calls where the caller chooses the key.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for path in PACKAGE.rglob("lua/*.lua"):
        lua = str(path.relative_to(PACKAGE))
        for key in parse_header(lua, path.read_text()).keys:
            found[lua, key.name] = {key.call.name} if key.call else set()
    for path in MODULES:
        text = path.read_text()
        scripts = dict(re.findall(r'^(\w+) = script\("([^"]+)"', text, re.M))
        for node in ast.walk(tree_of(path)) if scripts else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                lua = scripts.get(node.func.id, "")
                for keyword in node.keywords:
                    names = found.get((lua, str(keyword.arg)))
                    if names is not None:
                        calls = [
                            one for one in ast.walk(keyword.value) if isinstance(one, ast.Call)
                        ]
                        names |= {ast.unparse(call.func).rpartition(".")[2] for call in calls}
    return found


def test_no_script_reads_an_unbounded_collection_as_a_whole() -> None:
    unbounded, keys = unbounded_keys(), keys_of_scripts()
    assert "followers" in keys["following/lua/sync_follower.lua", "followers"]
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.lua")
        for match in WHOLE_IN_LUA.finditer(path.read_text())
        for name in match.groups()
        if name and unbounded & keys.get((str(path.relative_to(PACKAGE)), name), {name})
    }
    assert found == set()


def test_the_pattern_finds_reads_of_whole_collections() -> None:
    for text in ('("ZRANGE", keys.blockers(uid), 0, -1, "REV")', '("SMEMBERS", blockers(uid))'):
        match = WHOLE.search(text)
        assert match and "blockers" in match.groups()
    assert not WHOLE.search('("ZRANGE", keys.blockers(uid), 0, LIMIT)')
    for text in ("redis.call('HKEYS', votes)", "redis.call('ZRANGE', votes, 0, -1, 'REV')"):
        match = WHOLE_IN_LUA.search(text)
        assert match and "votes" in match.groups()
    assert not WHOLE_IN_LUA.search("redis.call('ZRANGE', votes, 0, limit - 1)")
