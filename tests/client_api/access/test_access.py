"""Who gets what: every endpoint, every kind of caller, and things of every visibility."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.client_api.access.scene import MARK, VIEWERS, Scene, access_scene
from tests.client_api.access.table import KINDS, OWNED, Row, rows
from tests.conftest import long
from tests.support.pages import listed_logins, without_popular
from webapp.client_api.endpoints import ENDPOINTS

ROUTES = {re.sub("[<>]", "", f"{one.method} {one.path}"): one for one in ENDPOINTS}
ROWS = rows()
INVALID = {"error": "The access token is invalid"}
NOT_FOUND = {"error": "Record not found"}
PART = re.compile(r"id:\w+|(?<=/)(?:name|group_key)(?=/|$)")
NOBODY = 4_000_000  # an id that nobody has
BODY = {"choices[]": "0", "title": "hm", "status": "hm"}  # of calls that would succeed
QUERY = {"q": "marsh", "acct": "ann", "id[]": "1"}
QUICK = ("visitor", "follower", "stranger", "blocked")  # the others are `long`
Viewers = pytest.mark.parametrize("viewer", [one if one in QUICK else long(one) for one in VIEWERS])


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """The site that all tests of this file read."""
    with access_scene(tmp_path_factory.mktemp("access")) as scene:
        yield scene


def of_kinds(*kinds: str) -> list[Row]:
    """Return the rows of some kinds."""
    return [row for row in ROWS if row.kind in kinds]


def call(scene: Scene, viewer: str, row: Row, named: object = "marsh") -> TestResponse:
    """Let a viewer call an endpoint about what is named."""
    method, _, path = row.route.partition(" ")
    options: dict[str, Any] = {"query_string": QUERY} if method == "GET" else {"data": BODY}
    return scene.apps[viewer].call(f"{method} {PART.sub(str(named), path)}", **options)


@pytest.mark.tables
def test_every_endpoint_has_a_row() -> None:
    missing = sorted(ROUTES.keys() - {row.route for row in ROWS})
    assert not missing, f"add to tests/client_api/access/table.py: {missing}"
    assert sorted(row.route for row in ROWS) == sorted(ROUTES), "a row without an endpoint"
    assert {row.kind for row in ROWS} <= set(KINDS)


@pytest.mark.parametrize("holder", ["gull", "gone", "ended"])
def test_a_token_that_has_ended_opens_nothing(scene: Scene, holder: str) -> None:
    answers = [(row.route, call(scene, holder, row, 64)) for row in ROWS]
    assert [route for route, one in answers if (one.status_code, one.json) != (401, INVALID)] == []


@Viewers
def test_a_status_is_open_to_those_who_may_open_its_page(scene: Scene, viewer: str) -> None:
    wrong = []
    for mark, (_, status_id) in scene.things.items():
        page = scene.page_code(viewer, mark)
        for row in of_kinds("status", "act", "author"):
            if (viewer, row.kind, page) == ("ann", "author", 200):
                continue  # she would change or delete what others ask for
            answer = call(scene, viewer, row, status_id)
            if not _is_expected(answer, _codes(viewer, row, page)):
                wrong.append((row.route, mark, page, answer.status_code, answer.text[:200]))
    assert not wrong, "\n".join(map(str, wrong))


@Viewers
def test_numbers_of_others_are_of_nothing(scene: Scene, viewer: str) -> None:
    wrong = []
    for row in of_kinds(*OWNED):
        for number in (scene.owned[row.kind], NOBODY):
            is_own = viewer == "ann" and number != NOBODY
            if is_own and not row.route.startswith("GET"):
                continue
            answer = call(scene, viewer, row, number)
            if not _is_expected(answer, _codes(viewer, row, 200 if is_own else 404)):
                wrong.append((row.route, number, answer.status_code, answer.text[:200]))
    assert not wrong, "\n".join(map(str, wrong))


@Viewers
def test_members_who_are_gone_or_suspended_are_not_there(scene: Scene, viewer: str) -> None:
    wrong = []
    for login, uid in (*scene.uids.items(), ("nobody", NOBODY)):
        if login not in ("gull", "gone", "nobody"):
            continue
        for row in of_kinds("member", "person"):
            answer = call(scene, viewer, row, uid)
            # A suspended member may be blocked or unfollowed, as on the pages, but asks nobody.
            is_act = (
                row.kind == "person" and login == "gull" and "/follow_requests" not in row.route
            )
            codes = _codes(viewer, row, 200 if is_act else 404)
            if not _is_expected(answer, codes | {404} if is_act else codes):
                wrong.append((row.route, login, answer.status_code, answer.text[:200]))
    assert not wrong, "\n".join(map(str, wrong))


@Viewers
def test_no_answer_shows_what_its_reader_may_not_open(scene: Scene, viewer: str) -> None:
    seen, wrong = scene.seen_by(viewer), []
    for row in ROWS:
        for named in _named(scene, row) if row.route.startswith("GET") else ():
            if hidden := _marks(call(scene, viewer, row, named).text) - seen:
                wrong.append((row.route, named, hidden))
    assert not wrong, "\n".join(map(str, wrong))


@Viewers
def test_lists_have_what_their_pages_have(scene: Scene, viewer: str) -> None:
    wrong = []
    for row in ROWS:
        if not row.page or 200 not in _codes(viewer, row, 200):
            continue
        for named, path in _pages(scene, row):
            page, answer = scene.browsers[viewer].get(path), call(scene, viewer, row, named)
            shown, given = _shown(page), _given(answer)
            if shown != given:
                wrong.append((row.route, path, shown, given))
    assert not wrong, "\n".join(map(str, wrong))


def _codes(viewer: str, row: Row, page: int) -> set[int]:
    """Return the codes that a viewer may get where the page has a code."""
    if viewer in ("visitor", "app") and not ROUTES[row.route].public:
        return {401} if viewer == "visitor" else {422}
    if row.kind == "author":
        return {404, page} - {200}
    if page != 200 or row.kind in ("status", "member", *OWNED):
        return {page, 404} if page == 403 else {page}
    return {200, 403, 409, 422}


def _is_expected(answer: TestResponse, codes: set[int]) -> bool:
    known = {401: INVALID, 404: NOT_FOUND}.get(answer.status_code, answer.json)
    return answer.status_code in codes and answer.json == known


def _shown(page: TestResponse) -> tuple[int, set[str]]:
    """Return the code of a page, and the marks or the logins on it."""
    code = 404 if page.status_code in (403, 410) else page.status_code
    if code != 200:
        return code, set()
    main = without_popular(page.text).partition("<main")[2]
    return code, _marks(main) or set(listed_logins(page))


def _given(answer: TestResponse) -> tuple[int, set[str]]:
    """Return the code of an answer, and the marks or the logins in it."""
    if answer.status_code != 200:
        return 404 if answer.status_code == 403 else answer.status_code, set()
    people = answer.json if isinstance(answer.json, list) else []
    return 200, _marks(answer.text) or {one["acct"] for one in people if "acct" in one}


def _marks(text: str) -> set[str]:
    return set(MARK.findall(text))


def _named(scene: Scene, row: Row) -> list[object]:
    """Return what the path of a row may name."""
    if row.kind == "status":
        return [status_id for _, status_id in scene.things.values()]
    if row.kind == "member":
        return list(scene.uids.values())
    return [scene.owned[row.kind]] if row.kind in OWNED else ["marsh"]


def _pages(scene: Scene, row: Row) -> list[tuple[object, str]]:
    """Return what the path of a row may name, and the page of each."""
    if row.kind == "status":
        marks = scene.things.items()
        return [(one[1], row.page.format(status=scene.address(mark))) for mark, one in marks]
    if row.kind == "member":
        shown = [(login, uid) for login, uid in scene.uids.items() if login not in ("gull", "gone")]
        return [(uid, row.page.format(member=f"/@{login}")) for login, uid in shown]
    return [("marsh", row.page)]
