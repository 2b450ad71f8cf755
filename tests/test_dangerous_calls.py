"""Nothing runs texts as code or unpacks objects, and no secret comes from a predictable source."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.modules import MODULES, PACKAGE, reads_modules, tree_of

pytestmark = [reads_modules, pytest.mark.tables]

# Modules that may use these names: only headers of our own scripts become code.
RUNS_CODE = {"core/store/script_headers/binding.py"}
# `random` can be predicted: it may choose servers, pauses and samples, and write demos.
PREDICTABLE = {
    *("core/store/pubsub.py", "streaming/delivery/credentials.py", "streaming/api_v1/api.py")
}
# The signatures of version 1.1 of the streaming API, the name that Redis gives a script, and the
# places in a Bloom filter: nobody gains by a collision.
WEAK_HASHES = {
    *("accounts/tokens/oauth.py", "core/store/scripts.py", "core/store/bloom/bloom_filter.py")
}
UNPACKS_OBJECTS = {"dill", "jsonpickle", "marshal", "pickle", "shelve", "yaml"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in MODULES:
        yield path.relative_to(PACKAGE).as_posix(), tree_of(path)


def imported(tree: ast.Module) -> set[str]:
    """Return the first names of all modules that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
    return found


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_no_text_is_run_as_code() -> None:
    names = {"eval", "exec", "compile", "__import__"}
    found = {
        path
        for path, tree in modules()
        for call in calls(tree)
        if isinstance(call.func, ast.Name) and call.func.id in names
    }
    assert found == RUNS_CODE


def test_no_command_goes_through_a_shell() -> None:
    for path, tree in modules():
        for call in calls(tree):
            assert not any(word.arg == "shell" for word in call.keywords), path
            name = ast.unparse(call.func)
            assert name not in ("os.system", "os.popen", "subprocess.getoutput"), path


def test_weak_hashes_protect_nothing_but_what_old_clients_sign() -> None:
    weak = re.compile(r'\b(md5|sha1|TripleDES|ARC4|Blowfish|ECB)\b|HMAC-SHA1"')
    paths = [path for path in MODULES if weak.search(path.read_text())]
    assert {path.relative_to(PACKAGE).as_posix() for path in paths} == WEAK_HASHES


def test_no_object_is_unpacked() -> None:
    for path, tree in modules():
        assert not imported(tree) & UNPACKS_OBJECTS, path


def test_secrets_come_from_a_secure_source() -> None:
    using = {path for path, tree in modules() if "random" in imported(tree)}
    assert {path for path in using if not path.startswith("demo/")} == PREDICTABLE
