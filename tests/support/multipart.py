"""Encode forms with files as a browser does."""

from collections.abc import Iterable, Mapping

BOUNDARY = "----boundary-that-no-file-contains"
Field = tuple[str, str | bytes | None]


def multipart(
    fields: Mapping[str, str | bytes] | Iterable[Field], declared: str = "image/png"
) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of a form.

    Bytes are files of the `declared` type; None is a file input without a file.
    """
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
