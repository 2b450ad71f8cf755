"""The report forms."""

import re

from tests.support.chat_pages import Birds, send_message
from tests.support.pages import check_refused_group

SPAM = {"category": "spam"}


def test_message_or_whole_chat_is_reported(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(finch, group_id, "rude")
    assert "What’s wrong?" in wren.get(f"/chats/{group_id}?report=1").text
    assert "What’s wrong?" in wren.get(f"/chats/{group_id}?report=all").text
    for form in ({"message": "1", "reason": "It is rude."}, {"reason": ""}):
        response = wren.post(f"/chats/{group_id}/report", data=form | SPAM)
        assert response.status_code == 303
        assert "Thanks for your report." in wren.get(response.location).text
    again = wren.post(f"/chats/{group_id}/report", data={"message": "1"} | SPAM)
    assert "You already reported this." in wren.get(again.location).text
    assert wren.post(f"/chats/{group_id}/report", data={"message": "7"} | SPAM).status_code == 404
    too_long = {"message": "1", "reason": "x" * 501, **SPAM}
    refused = wren.post(f"/chats/{group_id}/report", data=too_long)
    assert refused.status_code == 422 and "x" * 501 in refused.text
    assert re.search(r'<textarea[^>]* aria-describedby="reason-error"[^>]* autofocus', refused.text)
    for wrong in ({}, {"category": "rude"}):
        form = {"message": "1", "reason": "It is rude."} | wrong
        refused = wren.post(f"/chats/{group_id}/report", data=form)
        assert refused.status_code == 422 and "Choose what’s wrong." in refused.text
        assert "It is rude.</textarea>" in refused.text
        check_refused_group(refused.text, "category")
