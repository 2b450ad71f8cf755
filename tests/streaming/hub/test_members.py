"""Limits on the page streams of one member."""

from contextlib import ExitStack

from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.members import PAGE_CONNECTIONS_MAX


async def test_oldest_page_streams_of_a_member_are_ended_beyond_the_limit() -> None:
    hub = Hub(PAGE_CONNECTIONS_MAX + 9, 1 << 20)
    with ExitStack() as stack:
        wren, finch, client, *pages = [
            stack.enter_context(hub.open_connection()) for _ in range(PAGE_CONNECTIONS_MAX + 5)
        ]
        hub.set_owner(finch, 4, is_page=True)
        hub.set_owner(client, 3)
        hub.set_owner(wren, 3, is_page=True)
        for page in pages[: PAGE_CONNECTIONS_MAX - 1]:
            hub.set_owner(page, 3, is_page=True)
        assert not wren.ended
        for page in pages[PAGE_CONNECTIONS_MAX - 1 :]:
            hub.set_owner(page, 3, is_page=True)
        ended = [connection.ended for connection in (wren, *pages)]
        assert ended == [True] * 3 + [False] * PAGE_CONNECTIONS_MAX
        assert not client.ended and not finch.ended
