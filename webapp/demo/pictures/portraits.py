"""Draw members' pictures: birds of a few builds, and landscapes. A login always gets the same."""

from __future__ import annotations

from math import pi, sin
from random import Random

from PIL import Image

from .birds import Bird
from .landscape import Landscape

AVATAR_SIZE = (400, 400)  # pixels
HEADER_SIZE = (1500, 500)
VIEW_SIZE = (1280, 860)
FLIGHT_SIZE = (480, 320)
FLIGHT_FRAMES = 24
OWLS = "owl 鸮 鸺鹠".split()
WADERS = "heron egret crane stork bittern curlew godwit shank avocet 鹭 鹤 鹳 鹮 鹬".split()
DUCKS = (
    "duck goose swan teal eider grebe mallard pintail coot moorhen shoveler wigeon gadwall "
    "pochard smew greylag "
    "鸭 鹅 雁 䴙䴘 鸳鸯 骨顶"
).split()


def draw_avatar(login: str, name: str) -> Image.Image:
    """Return a square picture of a member's bird."""
    rng = Random(f"{login} avatar")
    picture = Bird(*AVATAR_SIZE, rng)
    picture.background()
    kind = name.lower()
    if any(word in kind for word in OWLS):
        picture.owl()
    elif any(word in kind for word in DUCKS):
        picture.duck()
    elif any(word in kind for word in WADERS):
        picture.wader()
    else:
        picture.songbird()
    return picture.finish()


def draw_header(login: str, name: str) -> Image.Image:
    """Return a wide picture of hills, a sun or moon, reeds and a flock."""
    picture = Landscape(*HEADER_SIZE, Random(f"{login} header"))
    picture.scene()
    return picture.finish()


def draw_view(seed: str) -> Image.Image:
    """Return a picture for a post: a landscape, always the same for a seed."""
    picture = Landscape(*VIEW_SIZE, Random(f"{seed} view"))
    picture.scene()
    return picture.finish()


def draw_flight(seed: str) -> list[Image.Image]:
    """Return the frames of an animated picture: a gull crosses a landscape."""
    frames = []
    for number in range(FLIGHT_FRAMES):
        picture = Landscape(*FLIGHT_SIZE, Random(f"{seed} flight"))
        picture.scene()
        share = number / FLIGHT_FRAMES
        picture.gull(share * picture.width_units, 30 - 12 * sin(share * pi), 7)
        frames.append(picture.reduced())
    return frames
