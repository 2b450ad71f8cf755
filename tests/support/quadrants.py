"""A picture of four colours, which shows what part of it was kept."""

import io

from PIL import Image


def quadrants() -> io.BytesIO:
    """Return a picture as a file: red and green above, blue and white below."""
    picture = Image.new("RGB", (2, 2))
    for place, colour in enumerate(("#f00", "#0f0", "#00f", "#fff")):
        picture.paste(colour, (place % 2, place // 2, place % 2 + 1, place // 2 + 1))
    data = io.BytesIO()
    picture.resize((200, 200), Image.Resampling.NEAREST).save(data, "PNG")
    data.seek(0)
    return data


def corners(content: bytes) -> str:
    """Return the initials of the colours in the corners of a picture, row by row."""
    picture = Image.open(io.BytesIO(content)).convert("RGB").resize((2, 2), Image.Resampling.BOX)
    names = {(True, False, False): "r", (False, True, False): "g", (False, False, True): "b"}
    pixels = [picture.getpixel((x, y)) for y in (0, 1) for x in (0, 1)]
    return "".join(names.get(tuple(value > 128 for value in pixel), "w") for pixel in pixels)  # type: ignore[union-attr]
