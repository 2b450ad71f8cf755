"""Draw members' pictures: birds of a few builds, and landscapes. A login always gets the same."""

from collections.abc import Sequence
from io import BytesIO
from math import pi, sin
from random import Random

from PIL import Image
from werkzeug.datastructures import FileStorage

from webapp.core.forms.fields import UploadedPicture

from .birds import Bird
from .canvas import RandomPicture, mix, shade

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


class Landscape(RandomPicture):
    """A landscape."""

    def scene(self) -> None:
        """Draw hills in layers under a sun or a moon, sometimes with a flock and reeds."""
        self.sky_and_sun()
        layers = self.rng.choice((3, 4, 5))
        for layer in range(layers):
            share = (layer + 1) / layers
            self.hill(
                48 + 40 * share,
                self.rng.uniform(4, 11),
                mix(self.horizon, self.shadow, 0.15 + 0.55 * share),
            )
        self.flock()
        if self.rng.random() < 0.5:
            self.reeds()

    def sky_and_sun(self) -> None:
        """Draw the sky, lighter towards the horizon, and a sun or a moon."""
        for y in range(100):
            self.shape(
                [(0, y), (self.width_units, y), (self.width_units, y + 1), (0, y + 1)],
                mix(self.sky, self.horizon, y / 80),
            )
        sun_x, sun_y, radius = (
            self.rng.uniform(0.14, 0.86) * self.width_units,
            self.rng.uniform(22, 46),
            self.rng.uniform(9, 17),
        )
        self.disc(sun_x, sun_y, radius, mix(self.horizon, (255, 252, 240), 0.7))

    def flock(self) -> None:
        """Draw distant birds that fly together."""
        middle = self.rng.uniform(0.2, 0.8) * self.width_units
        height = self.rng.uniform(18, 40)
        for _ in range(self.rng.randint(4, 13)):
            self.gull(
                middle + self.rng.gauss(0, 26),
                height + self.rng.gauss(0, 8),
                self.rng.uniform(1.6, 3.6),
            )

    def reeds(self) -> None:
        """Draw reeds at one edge."""
        edge = self.rng.choice((0, self.width_units - 70))
        for _ in range(40):
            x, height = edge + self.rng.uniform(0, 70), self.rng.uniform(58, 84)
            self.line(
                [(x, 101), (x + self.rng.uniform(-4, 4), height)], shade(self.shadow, 0.8), 0.7
            )

    def gull(self, x: float, y: float, span: float) -> None:
        """Draw a distant bird: two strokes."""
        wings = [(x - span, y - span * 0.5), (x - span * 0.4, y - span * 0.6), (x, y)]
        self.line(
            [*wings, (x + span * 0.4, y - span * 0.6), (x + span, y - span * 0.5)], self.shadow, 0.6
        )


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


def png(picture: Image.Image) -> BytesIO:
    """Return a picture as a file that somebody uploads."""
    file = BytesIO()
    picture.save(file, "PNG", compress_level=1)
    file.seek(0)
    return file


def draw_uploads(seed: str, alts: Sequence[str]) -> list[UploadedPicture]:
    """Return the pictures of a post, one for each description, always the same for a seed."""
    return [
        UploadedPicture(
            FileStorage(png(draw_view(f"{seed} {number}")), content_type="image/png"), alt
        )
        for number, alt in enumerate(alts)
    ]


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
