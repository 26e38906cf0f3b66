"""Facts made from the seed for truth and deception: arithmetic and the calendar, true and nearly true."""

from __future__ import annotations

import random
from datetime import date, timedelta

from games.truth_facts import Fact

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FIRST, _LAST = date(1900, 1, 1), date(2099, 12, 31)


def generated_fact(rng: random.Random) -> Fact:
    """A true statement and a false one that differs from it in one number or name."""
    make = rng.choice((_product, _sum, _remainder, _share, _weekday, _later, _between))
    return make(rng)


def written(day: date) -> str:
    """`14 July 1996`."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _near(right: int, rng: random.Random, steps: tuple[int, ...]) -> int:
    """A wrong number that is not negative, a step away."""
    step = rng.choice(steps)
    return right + step if right < step or rng.random() < 0.5 else right - step


def _pair(statement: str, right: object, wrong: object) -> Fact:
    return statement.format(right), statement.format(wrong)


def _product(rng: random.Random) -> Fact:
    one, other = rng.randint(12, 99), rng.randint(12, 99)
    right = one * other
    return _pair(f"{one} times {other} is {{}}.", right, _near(right, rng, (10, 20, 100)))


def _sum(rng: random.Random) -> Fact:
    terms = [rng.randint(100, 999) for _ in range(3)]
    right = sum(terms)
    return _pair(f"{terms[0]} plus {terms[1]} plus {terms[2]} is {{}}.", right, _near(right, rng, (1, 10, 100)))


def _remainder(rng: random.Random) -> Fact:
    number, by = rng.randint(100, 999), rng.randint(6, 13)
    right = number % by
    wrong = rng.choice([other for other in range(by) if other != right])
    return _pair(f"{number} divided by {by} leaves the remainder {{}}.", right, wrong)


def _share(rng: random.Random) -> Fact:
    percent, hundreds = 5 * rng.randint(1, 19), 20 * rng.randint(2, 40)
    right = percent * hundreds // 100  # whole: 5 % of 20 is 1
    return _pair(f"{percent} percent of {hundreds} is {{}}.", right, _near(right, rng, (1, 2, 5)))


def _day(rng: random.Random) -> date:
    return _FIRST + timedelta(days=rng.randint(0, (_LAST - _FIRST).days))


def _weekday(rng: random.Random) -> Fact:
    day = _day(rng)
    right = day.weekday()
    wrong = (right + rng.randint(1, 6)) % 7
    return _pair(f"In the Gregorian calendar, {written(day)} is a {{}}.", _DAYS[right], _DAYS[wrong])


def _later(rng: random.Random) -> Fact:
    day, days = _day(rng), rng.randint(20, 200)
    right = day + timedelta(days=days)
    wrong = right + timedelta(days=rng.choice((-2, -1, 1, 2)))
    return _pair(f"{days} days after {written(day)} comes {{}}.", written(right), written(wrong))


def _between(rng: random.Random) -> Fact:
    day = _day(rng)
    right = rng.randint(20, 200)
    later = day + timedelta(days=right)
    return _pair(f"From {written(day)} to {written(later)} it is {{}} days.", right, _near(right, rng, (1, 2, 7)))
