"""A small server of S3 on loopback, for tests: objects in memory, and requests that are signed."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

SIGNED = re.compile(r"AWS4-HMAC-SHA256 Credential=birds/.+, SignedHeaders=.+, Signature=\w{64}")
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "birds",
    "AWS_SECRET_ACCESS_KEY": "singing",
    "AWS_REGION": "here",
    "AWS_ALLOW_HTTP": "true",
}


class Storage(ThreadingHTTPServer):
    """Objects by bucket and key, each with the time when it was written."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.objects: dict[str, tuple[bytes, datetime]] = {}
        self.parts: dict[str, dict[int, bytes]] = {}  # of uploads that are not complete
        self.refuses = re.compile(r"(?!)")  # writes of these keys

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def keys(self, bucket: str) -> list[str]:
        """Return the keys of a bucket's objects."""
        return sorted(one.split("/", 1)[1] for one in self.objects if one.startswith(f"{bucket}/"))

    def put(self, name: str, data: bytes) -> None:
        self.objects[name] = (data, datetime.now(UTC))


class Handler(BaseHTTPRequestHandler):
    """Answers what a client of copies asks."""

    server: Storage
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        """Check the signature and the sum of the body, then answer."""
        path = urlsplit(self.path)
        self.name, query = unquote(path.path).strip("/"), parse_qs(path.query, True)
        self.asked = {field: values[0] for field, values in query.items()}
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        digest = hashlib.sha256(self.body).hexdigest()
        is_signed = SIGNED.fullmatch(self.headers.get("Authorization", ""))
        if not is_signed or self.headers["x-amz-content-sha256"] != digest:
            return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        if self.command in ("PUT", "POST") and self.server.refuses.search(self.name):
            return self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        getattr(self, f"on_{self.command.lower()}")()

    do_GET = do_PUT = do_POST = handle_any

    def on_get(self) -> None:
        if "list-type" in self.asked:
            self.list_objects()
        elif self.name in self.server.objects:
            self.answer(200, self.server.objects[self.name][0])
        else:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def list_objects(self) -> None:
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(data)}</Size>"
            f"<LastModified>{time:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
            for key in self.server.keys(self.name)
            if key.startswith(self.asked.get("prefix", ""))
            for data, time in [self.server.objects[f"{self.name}/{key}"]]
        )
        self.answer(200, f"<ListBucketResult>{entries}</ListBucketResult>".encode())

    def on_put(self) -> None:
        if "uploadId" in self.asked:
            self.server.parts[self.name][int(self.asked["partNumber"])] = self.body
        else:
            self.server.put(self.name, self.body)
        self.answer(200)

    def on_post(self) -> None:
        if "delete" in self.asked:
            keys = re.findall(r"<Key>(.*?)</Key>", self.body.decode())
            for key in keys:
                self.server.objects.pop(f"{self.name}/{key}", None)
            deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            return self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())
        if "uploads" in self.asked:
            self.server.parts[self.name] = {}
            tag = "InitiateMultipartUploadResult"
            return self.answer(200, f"<{tag}><UploadId>1</UploadId></{tag}>".encode())
        parts = self.server.parts.pop(self.name)
        self.server.put(self.name, b"".join(parts[number] for number in sorted(parts)))
        tag = "CompleteMultipartUploadResult"
        self.answer(200, f"<{tag}><ETag>1</ETag></{tag}>".encode())

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Sat, 28 Nov 2026 08:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def storage() -> Iterator[Storage]:
    """Run a server while the block runs."""
    with Storage() as server:
        Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.shutdown()
