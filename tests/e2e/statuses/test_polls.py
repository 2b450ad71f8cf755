"""Test polls in a narrow browser without scripts, in Chinese."""

import pytest
from playwright.sync_api import Route, expect

from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, set_language, sign_up, start_session


def test_answers_are_added_as_they_are_asked_for_and_removed(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(), "ann")
    page.locator("#text").fill("which song?")
    page.locator(".ask > summary").click()
    answers = page.locator(".poll-options input:visible")
    expect(answers).to_have_count(2)
    expect(answers.first).to_be_focused()
    for number, text in ((1, "Trill"), (2, "Chirp"), (3, "Whistle"), (4, "Trill")):
        if number > 2:
            page.get_by_role("button", name="Add an answer").click()
            expect(answers.nth(number - 1)).to_be_focused()
        answers.nth(number - 1).fill(text)
    expect(page.get_by_role("button", name="Add an answer")).to_be_hidden()
    expected_errors.append("422")
    page.locator(".composer-send button").click()
    wrong = page.locator(".field", has=page.get_by_role("alert"))
    expect(wrong.get_by_role("alert")).to_have_text("This is the same as another answer.")
    expect(wrong.locator("input")).to_have_attribute("name", "option4")
    page.get_by_role("button", name="Remove answer 1").click()
    expect(answers).to_have_count(3)
    assert [one.input_value() for one in answers.all()] == ["Chirp", "Whistle", "Trill"]
    page.reload()
    expect(answers).to_have_count(3)
    page.locator(".composer-send button").click()
    expect(page.locator(".poll-result bdi")).to_have_text(["Chirp", "Whistle", "Trill"])


def test_a_refusal_of_the_post_is_scrolled_into_sight(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(viewport={"width": 390, "height": 480}), "ben")
    page.locator("#text").fill("which song?")
    page.locator(".ask > summary").click()
    page.locator("#option1").fill("Trill")
    expect(page.locator(".composer-add")).to_be_hidden()
    expected_errors.append("422")
    page.locator(".composer-send button").click()
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_nothing_moves_when_a_poll_gets_its_script_late(open_page: OpenPage) -> None:
    page = sign_up(open_page(viewport={"width": 390, "height": 844}), "ann")
    page.locator("#text").fill("which song?")
    page.locator(".ask > summary").click()
    answers = page.locator(".poll-options input:visible")
    answers.first.fill("Trill")
    page.get_by_role("button", name="Save draft").click()
    held: list[Route] = []
    page.route("**/poll-answers.*.js", lambda route: held.append(route))
    page.add_init_script(measurements.OBSERVE_SHIFTS)
    page.goto("/drafts")
    with page.expect_request("**/poll-answers.*.js"):
        page.locator(".draft-text a").click()
    expect(answers).to_have_count(2)
    expect(page.locator(".ask[data-ready]")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".ask[data-ready]")).to_have_count(1)
    expect(answers).to_have_count(2)
    assert page.evaluate(measurements.TOTAL_SHIFT) < measurements.SHIFT_MAX
    page.locator(".composer-tools > [data-spoken]").evaluate("end => end.remove()")
    expect(page.locator(".composer-tools")).to_have_css("visibility", "hidden")


@pytest.mark.long
def test_a_poll_works_without_scripts(open_page: OpenPage) -> None:
    wren, finch = open_page(scripts=False, width=390), open_page(scripts=False, width=390)
    for page, login in ((wren, "wren"), (finch, "finch")):
        start_session(page, login)
        set_language(page, "zh")
    wren.goto("/home")
    wren.locator("#text").fill("哪一首？")
    wren.get_by_text("发起投票").click()
    wren.get_by_label("选项 1", exact=True).fill("颤音")
    wren.get_by_label("允许多选").check()
    wren.locator(".composer .composer-send button").click()
    expect(wren.locator(".field-error").first).to_have_text(
        "投票至少需要两个选项。不发起投票时请全部留空。"
    )
    expect(wren.get_by_label("选项 1", exact=True)).to_have_value("颤音")
    expect(wren.get_by_label("允许多选")).to_be_checked()
    wren.get_by_label("选项 2", exact=True).fill("啾啾")
    wren.get_by_label("选项 3（选填）").fill("口哨")
    wren.get_by_label("投票时长").select_option("7 天")
    wren.locator(".composer .composer-send button").click()
    expect(wren.locator(".poll-result b")).to_have_text(["0%", "0%", "0%"])
    finch.goto("/public")
    finch.get_by_role("checkbox", name="啾啾").check()
    finch.get_by_role("checkbox", name="口哨").press("Space")
    for option in finch.locator(".poll-option").all():
        box = option.bounding_box()
        assert box and box["height"] >= 44
    finch.get_by_role("checkbox", name="口哨").press("Enter")  # submits the form
    expect(finch.locator(".poll-result b")).to_have_text(["0%", "100%", "100%"])
    expect(finch.locator(".poll-own .poll-words")).to_have_text(
        ["啾啾 （你的选择）", "口哨 （你的选择）"]
    )
    expect(finch.locator(".poll-foot")).to_have_text("1 人已投票 · 还剩 7 天")
    assert "/public#status-" in finch.url
    wren.goto("/@wren")
    expect(wren.locator(".poll-result b")).to_have_text(["0%", "100%", "100%"])
    expect(wren.locator(".poll-own")).to_have_count(0)
