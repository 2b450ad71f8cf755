"""Forms with files as a browser sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BOUNDARY = "----a-line-that-stands-in-no-file"


Field = tuple[str, str | bytes | None]


def multipart(
    fields: Mapping[str, str | bytes] | Iterable[Field], declared: str = "image/png"
) -> tuple[bytes, dict[str, str]]:
    """The body of a form and its headers; bytes are files of the `declared` type, None is one that was not chosen."""
    parts = []
    for name, value in fields.items() if isinstance(fields, Mapping) else fields:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        if not isinstance(value, str):
            head += (
                f'; filename="{"" if value is None else f"{name}.png"}"\r\nContent-Type: {declared}'
            )
        content = value.encode() if isinstance(value, str) else value or b""
        parts.append(f"{head}\r\n\r\n".encode() + content + b"\r\n")
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    return body, {
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Content-Length": str(len(body)),
    }
