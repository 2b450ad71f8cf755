"""What pages show: the choice equals a plain reference, and learns what an audience likes."""

from collections import Counter
from random import Random

import pytest

from webapp.rewards.promotions import ranking
from webapp.rewards.promotions.ranking import ALL, BEST, NO_WORD, TRIED, Ad, Ranking, Scored

WORDS = ("cup", "#tea", "咖啡", NO_WORD)
BEST_ONE = 0.99  # a chance that tries nothing


def make_ad(id_: int, kind: str = "clicks", price: int = 5, **counts: tuple[int, int]) -> Ad:
    return Ad(id_, 100 + id_, f"member{id_}", "", kind, price, 0, {ALL: (0, 0), **counts})


def reference(
    ads: list[Ad], language: str, words: list[str], excluded: set[int], chance: float
) -> tuple[int, int] | None:
    """Score every ad by the definition. Return the chosen id and the charge."""

    def mean(kind: str) -> float:
        own = [ad.counts[ALL] for ad in ads if ad.kind == kind]
        return (sum(acts for _, acts in own) + 5) / (sum(views for views, _ in own) + 500)

    def rate(ad: Ad) -> float:
        views, acts = ad.counts[ALL]
        rate = (acts + 500 * mean(ad.kind)) / (views + 500)
        matched = [word for word in words if word in ad.counts] or [NO_WORD]
        each = [ad.counts.get(word, (0, 0)) for word in matched]
        return max((acts + 100 * rate) / (views + 100) for views, acts in each)

    def value(ad: Ad) -> float:
        return ad.price if ad.kind == "views" else 1000 * ad.price * rate(ad)

    shown = [ad for ad in ads if ad.language in ("", language) and ad.id not in excluded]
    shown.sort(key=lambda ad: (-value(ad), ad.id))
    if not shown:
        return None
    index = 0
    if chance < TRIED:
        point = chance / TRIED * sum(map(value, shown[:BEST]))
        while point > value(shown[index]) and index < min(len(shown), BEST) - 1:
            point -= value(shown[index])
            index += 1
    ad = shown[index]
    after = max(1.0, value(shown[index + 1]) if index + 1 < len(shown) else 0.0)
    exact = after if ad.kind == "views" else after / rate(ad)
    highest = ad.price if ad.kind == "views" else 1000 * ad.price
    return ad.id, round(min(exact, highest))


def draw_ads(random: Random) -> list[Ad]:
    """Return up to 130 ads of all kinds, some of them equal in value."""

    def counts() -> tuple[int, int]:
        return random.choice((0, 5, 100, random.randrange(3_000))), random.randrange(50)

    return [
        Ad(
            number,
            number,
            "",
            random.choice(("", "en", "zh")),
            random.choice(ranking.KINDS),
            random.randint(1, 20),
            0,
            {ALL: counts()} | {word: counts() for word in WORDS if random.random() < 0.4},
        )
        for number in range(random.choice((0, 1, 5, 130)))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_choice_equals_a_plain_reference(seed: int) -> None:
    random = Random(seed)
    ads, language = draw_ads(random), random.choice(("en", "zh"))
    words = random.sample([*WORDS[:-1], "elsewhere"], random.randrange(4))
    excluded = set(random.sample(range(20), 5))
    chance = random.choice((random.random(), random.random() * TRIED))
    found = Ranking(ads).choose(language, words, lambda ad: ad.id in excluded, chance)
    expected = reference(ads, language, words, excluded, chance)
    assert (found is None) == (expected is None)
    if found and expected:
        assert found.ad.id == expected[0]
        assert abs(found.charge - expected[1]) <= 1, "rounded up"
        matched = [word for word in words if word in found.ad.counts]
        assert found.word in (matched or [NO_WORD])


def test_a_charge_is_what_the_next_one_would_earn_and_never_above_the_own_price() -> None:
    views, clicks = make_ad(1, "views", 40), make_ad(2, "clicks", 3)
    best = Ranking([views, clicks]).choose("en", [], lambda ad: False, BEST_ONE)
    assert best and (best.ad.id, best.charge) == (1, 30), "3 points × 1 % × 1,000"
    alone = Ranking([clicks]).choose("en", [], lambda ad: False, BEST_ONE)
    assert alone and alone.charge == 100, "1 point for 1,000 views"
    second = Ranking([views, make_ad(3, "views", 40)]).choose("en", [], lambda _: False, BEST_ONE)
    assert second and second.charge == 40


def test_a_price_of_another_kind_is_compared_by_what_1000_views_earn() -> None:
    ranking = Ranking([make_ad(1, "views", 29), make_ad(2, "clicks", 3), make_ad(3, "actions", 2)])
    scored = [ranking.score(ad) for ad in ranking.ads.values()]
    assert [round(one.value, 6) for one in scored] == [29, 30, 20]
    assert isinstance(max(scored), Scored) and max(scored).ad.id == 2


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_audience_teaches_the_order_and_a_new_good_one_is_tried(seed: int) -> None:
    audience(seed, showings=50_000, learn_every=100)


def test_a_small_audience_teaches_the_order_too() -> None:
    audience(4, showings=50_000, learn_every=1_000)


def audience(seed: int, showings: int, learn_every: int) -> None:
    """Show ads to readers with known rates, and check the order that results.

    Ten ads have rates from 95 % down to 32 %, and ten more 5 %. Each pays one point. The rates are
    high, so that chance cannot change the order of the ten. Half-way a new one joins, almost as
    good as the best.
    """
    random = Random(seed)
    rates = {number: 0.95 - 0.07 * number if number < 10 else 0.05 for number in range(20)}
    seen: dict[int, Counter[str]] = {number: Counter() for number in rates}
    shown: Counter[int] = Counter()
    new = 99
    for showing in range(showings):
        if showing == showings // 2:
            rates[new], seen[new] = 0.9, Counter()
        if showing % learn_every in (0, showings // 2):
            ads = [
                make_ad(
                    number,
                    price=1,
                    **{ALL: (one["views"], one["clicks"]), NO_WORD: (one["views"], one["clicks"])},
                )
                for number, one in seen.items()
            ]
            current = Ranking(ads)
        choice = current.choose("en", [], lambda _: False, random.random())
        assert choice
        number = choice.ad.id
        shown[number] += showing >= showings // 2
        seen[number]["views"] += 1
        seen[number]["clicks"] += random.random() < rates[number]
    by_value = sorted((current.score(ad) for ad in current.ads.values()), reverse=True)
    order = [one.ad.id for one in by_value if one.ad.id != new][:10]
    assert shown[new] >= 0.02 * showings / 2
    assert order == sorted(order)
