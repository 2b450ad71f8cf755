"""Forms with files as a browser sends them."""

from __future__ import annotations

from collections.abc import Mapping

BOUNDARY = "----a-line-that-stands-in-no-file"


def multipart(fields: Mapping[str, str | bytes], declared: str = "image/png") -> tuple[bytes, dict[str, str]]:
    """The body of a form and its headers; bytes are files of the `declared` type."""
    parts = []
    for name, value in fields.items():
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, bytes):
            head += f'; filename="{name}.png"\r\nContent-Type: {declared}'
        content = value if isinstance(value, bytes) else value.encode()
        parts.append(f"{head}\r\n\r\n".encode() + content + b"\r\n")
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Content-Length": str(len(body))}
