"""The pages of jobs without scripts: posting, finding, applying, and who may not."""

import pytest
from flask.testing import FlaskClient

from tests.support.moderators import as_moderator
from tests.support.pages import check_error, page_text
from tests.support.world import Web
from webapp.moderation import acting

FORM = {
    "title": "Count the <terns>",
    "text": "Every morning.\n\nBring boots.",
    "place": "Sylt",
    "skills-0-name": "Birding",
    "skills-0-level": "2",
    "skills-0-years": "3",
    "skills-1-name": "Rowing",
    "skills-1-level": "1",
    "skills-1-years": "",
}


def skills_form(level: str = "3", **further: str) -> dict[str, str]:
    """Return the form with a member's skills."""
    return {
        "skills-0-name": "birding",
        "skills-0-level": level,
        "skills-0-years": "4",
        "skills-1-name": "ROWING",
        "skills-1-level": "1",
        "skills-1-years": "",
        **further,
    }


def test_an_offer_finds_members_who_fit_and_they_apply_in_a_chat(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    assert "No offers yet" in ann.get("/jobs").text
    posted = ann.post("/jobs/new", data=FORM)
    assert posted.status_code == 303
    path = posted.location
    assert "No one yet." in ann.get(path).text
    assert "Which skills do you have?" in ben.get("/jobs/mine").text
    assert ben.post("/jobs/skills", data=skills_form("1")).location == "/jobs/mine"
    assert "No offer fits yet" in ben.get("/jobs/mine").text
    almost = page_text(ben.get("/jobs/mine?missing=1"))
    assert "You’re missing: Birding" in almost and "Intermediate · 3 years" in almost
    ben.post("/jobs/skills", data=skills_form())
    assert "Count the &lt;terns&gt;" in ben.get("/jobs/mine").text
    assert "@ben" not in ann.get(path).text, "he did not choose to be found"
    ben.post("/jobs/skills", data=skills_form(shown="y"))
    assert "@ben" in ann.get(path).text
    [moderator] = web.people("mod")
    acting.act(web, as_moderator(web, moderator), 2, "limit", "Spam.")
    assert "@ben" not in ann.get(path).text, "moderators have limited him"
    acting.answer(web, as_moderator(web, moderator), 2, 1, granted=True)
    assert "Who fits" not in ben.get(path).text
    link = ben.get(path).text.partition('href="/chats/@ann?')[2].partition('"')[0]
    chat = ben.get(f"/chats/@ann?{link}".replace("&amp;", "&"), follow_redirects=True)
    assert "I’m writing about your offer" in chat.text and f"{path}</textarea>" in chat.text


def test_enter_in_a_line_adds_no_rows(ann: FlaskClient) -> None:
    for path in ("/jobs/new", "/jobs/skills"):
        form = ann.get(path).text.partition('<form class="form')[2]
        assert "disabled hidden" in form.partition("<button")[2].partition(">")[0]


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5_000, "-1", "x", ""])
def test_rows_without_a_plain_number_are_ignored(ann: FlaskClient, number: str) -> None:
    form = skills_form() | {f"skills-{number}-name": "Whistling"}
    assert ann.post("/jobs/skills", data=form).location == "/jobs/mine"
    assert "Whistling" not in ann.get("/jobs/skills").text


def test_an_offer_is_changed_and_closed_by_its_author_alone(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    path = ann.post("/jobs/new", data=FORM).location
    assert 'value="Rowing"' in ann.get(f"{path}/edit").text
    assert ann.post(f"{path}/edit", data={**FORM, "place": "Föhr"}).location == path
    assert "Föhr" in page_text(ben.get("/jobs?place=föhr")) and "Föhr" in ann.get("/jobs/own").text
    for address in (f"{path}/edit", f"{path}/close"):
        assert ben.post(address, data=FORM).status_code == 403
    ben.post("/@ann/block")
    check_error(ben.get(path), 404, "This job offer doesn’t exist, or has ended.")
    assert "terns" not in ben.get("/jobs").text
    assert ann.post(f"{path}/close").location == "/jobs/own"
    check_error(ann.get(path), 404, "This job offer doesn’t exist, or has ended.")


def test_an_offer_is_found_by_a_place_as_long_as_its_form_takes(ann: FlaskClient) -> None:
    place = "p" * 60
    ann.post("/jobs/new", data={**FORM, "place": place})
    page = ann.get("/jobs", query_string={"place": place})
    assert "terns" in page.text and f'value="{place}" maxlength="60"' in page.text


def test_refused_offers_keep_what_was_written(ann: FlaskClient) -> None:
    for wrong, sentence in (
        ({"title": " "}, "Give the offer a title."),
        ({"text": ""}, "Say what the job is about."),
        ({"place": ""}, "Say where the job is"),
        ({"skills-0-name": "", "skills-1-name": ""}, "Name at least one skill."),
        ({"skills-0-name": "::{}"}, "A skill needs letters or digits."),
        ({"skills-0-level": "9"}, "Not a valid choice"),
        ({"skills-0-years": "51"}, "Number must be between 0 and 50"),
        ({"skills-0-years": "9" * 5_000}, "Not a valid integer value"),
        ({"title": "x" * 101}, "The limit is 100."),
    ):
        page = ann.post("/jobs/new", data=FORM | wrong)
        assert page.status_code == 422 and sentence in page_text(page), wrong
        assert "Bring boots." in page.text or "text" in wrong
        assert page.text.count(" autofocus") == 1, wrong
    more = ann.post("/jobs/new", data={**FORM, "more": "1"})
    assert more.status_code == 200 and "skills-3-name" in more.text and "Sylt" in more.text
    assert "No offers yet" in ann.get("/jobs").text
    assert ann.get("/jobs?max_id=x").status_code == 422
    assert ann.get("/jobs?skill=" + "%00:{}" * 99).status_code == 200


def test_searches_for_who_fits_are_limited_and_others_count_none(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    path = ben.post("/jobs/new", data=FORM).location
    web.app.extensions["linnet.settings"].apply("1", {"limit_search": "1/3600"})
    assert [ben.get(path).status_code for _ in range(2)] == [200, 429]
    assert [ann.get(path).status_code for _ in range(2)] == [200, 200]
