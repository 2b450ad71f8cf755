"""Scripts are called with the names in their headers."""

import re
from pathlib import Path

import pytest

import webapp
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event, request_id
from webapp.core.store import script
from webapp.core.store.schema import partition_tag
from webapp.core.store.script_headers.includes import LOCAL
from webapp.core.store.scripts import compile_script
from webapp.lists import keys as list_keys

PACKAGE = Path(webapp.__file__).parent
FILES = sorted(PACKAGE.rglob("*.lua"))
HEADER = """-- Do something.
--
-- KEYS     home      zset
-- ARGV     uid
--          limit?    most entries
--          fields...  names and values
"""


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_script_is_documented() -> None:
    for path in FILES:
        lines = path.read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.strip().startswith("--")]
        assert re.match(r"-- [A-Z]", lines[0]) and "Purpose:" not in lines[0], path
        if path.parent.name != "includes":
            assert script(relative(path)).header.keys, path
            named = not re.search(r"\b(?:KEYS|ARGV)\[", "\n".join(code))
            assert named, f"{path}: the loader names them"


def test_no_header_hides_a_function_of_lua_from_includes() -> None:
    used = {"error", "ipairs", "math", "redis", "string", "table", "tonumber", "tostring", "unpack"}
    for path in FILES:
        if path.parent.name != "includes":
            header = script(relative(path)).header
            assert not used & {one.name for one in (*header.keys, *header.arguments)}, path


def test_a_call_puts_keys_and_arguments_in_order() -> None:
    source = HEADER.replace("limit?   ", "limit    ")
    call = compile_script("test", source)
    command = call(fields=["a", 1], limit=5, uid=7, home="home:7")
    assert command == ("EVALSHA", call, 1, "home:7", 7, 5, "a", 1)
    assert call(home="home:7", uid=7, limit=5)[3:] == ("home:7", 7, 5)
    assert call(home="home:7", uid=7, limit=5, fields={"a": 1, "b": 2})[6:] == ("a", 1, "b", 2)


@pytest.mark.parametrize("names", [{}, {"home": 1}, {"home": 1, "uid": 1, "other": 1}])
def test_a_missing_or_unknown_name_is_refused(names: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"test\(\)"):
        compile_script("test", HEADER)(**names)


def test_a_header_without_keys_is_refused() -> None:
    with pytest.raises(ValueError, match="no keys"):
        compile_script("test", "-- Do nothing.\nreturn 1")


def test_a_list_that_is_not_last_is_refused() -> None:
    with pytest.raises(ValueError, match="list"):
        compile_script("test", HEADER + "--          after\n")


@pytest.mark.parametrize("name", ["fields... ", "fields? ", "fields "])
def test_a_name_with_one_space_before_its_description_is_refused(name: str) -> None:
    header = HEADER.replace("fields...  ", name)
    with pytest.raises(ValueError, match="two spaces"):
        compile_script("test", header)


def test_a_description_may_go_on_in_the_next_line() -> None:
    source = HEADER + "--                     of the status\n"
    names = compile_script("test", source).header.arguments
    assert [name.name for name in names] == ["uid", "limit", "fields"]


NAMED = """-- Do something.
--
-- KEYS     list     lists.list_(uid, number)
--          prefix   lists.list_members.prefix(uid)
-- ARGV     name
--          uid
"""


def test_a_key_is_made_of_the_values_that_the_header_names() -> None:
    call = compile_script("test", NAMED)
    keys = (list_keys.list_(130, 4), list_keys.list_members.prefix(130))
    assert call(uid=130, number=4, name="birds")[2:] == (2, *keys, "birds", 130)


@pytest.mark.parametrize(
    "line, writes",
    [
        ("", {"list", "prefix"}),
        ("-- WRITES   nothing\n", set()),
        ("-- WRITES   list\n", {"list"}),
        ("-- WRITES   all keys but list\n", {"prefix"}),
    ],
)
def test_a_script_writes_all_its_keys_unless_it_says_otherwise(line: str, writes: set[str]) -> None:
    assert compile_script("test", NAMED + line).header.writes == writes


def test_a_value_that_names_a_key_is_an_argument_where_the_code_reads_it() -> None:
    call = compile_script("test", NAMED + "return {'uid', number} -- uid")
    assert call(uid=130, number=4, name="birds")[5:] == ("birds", 130, 4)


INCLUDING = "-- Do it.\n--\n-- KEYS     %s\n-- EMITS    signed_out\nend_sessions_except('')\n"


def test_a_script_gets_the_keys_of_its_includes_unless_it_names_them_otherwise() -> None:
    header = compile_script("test", INCLUDING % "user   accounts.user(uid)").header
    assert [key.name for key in header.keys][:2] == ["user", "member_sessions"]
    assert {"sessions", "user"} <= header.writes
    otherwise = INCLUDING % "sessions   zset: a key that the caller chooses"
    assert compile_script("test", otherwise).header.keys[0].call is None


def test_an_emitting_script_gets_the_outbox_of_the_partition_that_its_keys_name() -> None:
    call = compile_script("test", NAMED + "-- EMITS    list_created\nemit('list_created')")
    command = call(uid=130, number=4, name="birds")
    assert command[2] == 3 and command[5] == event_keys.outbox(2)
    assert command[6:] == ("birds", 130, 2, request_id.get())
    assert "local function emit" in call.text


def test_a_script_that_asks_whether_it_is_behind_takes_the_settings(config: Config) -> None:
    call = compile_script("test", NAMED + "-- EMITS    list_created\nrefuse_when_behind()")
    assert call(config, uid=1, number=4, name="birds")[-1] == config.outbox_max


def test_a_setting_that_the_header_names_is_taken_from_the_settings(config: Config) -> None:
    source = HEADER.replace("limit?    most", "limit     config.lists_max   most")
    assert compile_script("test", source)(config, home="home:7", uid=7)[-1] == config.lists_max
    with pytest.raises(ValueError, match="no setting lists_most"):
        compile_script("test", source.replace("lists_max", "lists_most"))


def test_a_fenced_script_takes_the_event_and_the_fences_of_its_first_key() -> None:
    event = Event("1-0", 7, "fanout", 12, "posted", "r", {})
    call = compile_script("test", NAMED + "-- FENCED\n")
    command = call(event, uid=130, number=4, name="birds")
    assert command[5:] == (event_keys.fences(partition_tag(2)), "birds", 130, "fanout:7", 12)
    site_wide = compile_script("test", HEADER + "-- FENCED\n")
    assert site_wide(event, home="birds", uid=1)[4] == "fences:{birds}", "in the slot of the key"
    assert call.text.index("stale(fences, source, token)") > 0


@pytest.mark.parametrize(
    "wrong, reason",
    [
        (NAMED.replace("lists.list_(", "lists.absent("), "no room declares the key lists.absent"),
        (NAMED.replace("lists.list_(", "nowhere.list_("), "no room declares the key nowhere.list_"),
        (NAMED + "-- WRITES   list, other\n", "other"),
        (NAMED + "-- WRITES   all keys but other\n", "other"),
        (HEADER + "-- EMITS    joined\n", "partition of its events"),
        (HEADER.replace("home  ", "home...") + "-- FENCED\n", "hash tag of its fences"),
    ],
)
def test_a_header_that_names_what_is_not_there_is_refused(wrong: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        compile_script("test", wrong)


def test_no_two_includes_define_the_same_function_for_others() -> None:
    files: dict[str, set[Path]] = {}
    for path in FILES:
        if path.parent.name == "includes":
            for name in LOCAL.findall(path.read_text()):
                files.setdefault(name, set()).add(path)
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


def test_a_script_gets_the_files_whose_functions_it_calls() -> None:
    source = NAMED + "local function may_see() end\nreturn require_active() or may_see()\n"
    text = compile_script("test", source).text
    assert "local function require_active" in text and text.count("function may_see") == 1


def test_every_event_that_a_script_emits_is_in_its_header() -> None:
    for path in FILES:
        if path.parent.name != "includes":
            loaded = script(relative(path))
            literal = set(re.findall(r"\bemit\('(\w+)'", path.read_text()))
            assert literal <= set(loaded.header.emits), path
