"""TLS in front of loopback ports, as a site has it: clients in a browser ask only for https."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .certificates import make_certificate

STREAMING = b" /api/v1/streaming"
OURS = b"Connection: close\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 127.0.0.1\r\n"


@contextmanager
def tls_proxy(folder: Path, port: int, pages: int, streams: int) -> Iterator[None]:
    """Serve https on a port while the block runs: streams go to the second port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(folder, "localhost"))
    ready = threading.Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            first = await reader.readuntil(b"\r\n")
            rest = await reader.readuntil(b"\r\n\r\n")
            is_stream = STREAMING in first
            lines = rest.splitlines(keepends=True)
            head = b"".join(one for one in lines if not one.lower().startswith(b"connection:"))
            target = await asyncio.open_connection("127.0.0.1", streams if is_stream else pages)
            target[1].write(first + rest if is_stream else first + OURS + head)
            await asyncio.gather(_pump(reader, target[1]), _pump(target[0], writer))

    async def serve() -> None:
        ending = asyncio.Event()
        loops.append((asyncio.get_running_loop(), ending))
        server = await asyncio.start_server(handle, "127.0.0.1", port, ssl=context)
        ready.set()
        await ending.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    yield
    [(loop, ending)] = loops
    loop.call_soon_threadsafe(ending.set)
    thread.join()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
