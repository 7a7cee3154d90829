"""Conditions over the names of a record: what they look at, when they can be decided."""

import pytest

from example_records import record
from modmul.errors import SpecError
from modmul.exploration.conditions import Condition, first_broken

CLOCK = {
    "median": 230.0,
    "best": 240.0,
    "usable": 220.0,
    "limited_by": "x",
    "seeds": [{"seed": 1, "mhz": 230.0}],
    "verified": True,
}
ROUTED = record(
    {"architecture": "fpmm", "width": 64, "word": 34, "target": "ecp5"},
    dsp=9,
    fmax_mhz=CLOCK,
    cells={"LUT4": 150, "MULT18X18D": 9},
)
FAILED = record({"architecture": "interleaved", "width": 8}, lut=None, area=None, time=None)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("dsp <= 12", True),
        ("dsp = 3", False),
        ("dsp <> 3 and dsp == 9", True),
        ("timing = 'constant'", True),
        ("fmax_mhz.usable >= 220 AND word IN (17, 34)", True),
        ("latency_reduction", True),
        ("NOT latency_reduction OR word = 17", False),
        ("spec.dsp", False),
        ("spec['latency-reduction']", True),
        ("estimate.delay_ns < 100", False),  # a figure that the point does not have
        ("not estimate.delay_ns < 100", False),
        ("estimate.delay_ns < 100 or dsp = 9", True),
        ("estimate IS NULL and fmax_mhz is not null", True),
        ("'Fp' in title or abs(dsp - 9) < 1", True),
        ("1 <= dsp <= 9", True),
        ("word = 34 if dsp > 1 else lut > 1", True),
        ("cells['LUT4'] > 100 and cells['LUT5'] is null", True),
        ("lut / (dsp - 9) > 1", False),
        ("(dsp\n  <= max(12, round(2.6))) ", True),
        ("title = 'not and or' or title <> 'a = b'", True),
        ("len(fmax_mhz.seeds) = 1 and -dsp % 2 = 1", True),
    ],
)
def test_holds(text: str, holds: bool) -> None:
    condition = Condition(text)
    assert first_broken([condition], ROUTED) == (None if holds else condition)


def test_the_first_that_does_not_hold() -> None:
    conditions = [Condition("width < 65"), Condition("lut < 10")]
    assert first_broken(conditions, ROUTED) == conditions[1]
    assert first_broken(conditions[:1], ROUTED) is None
    assert first_broken(conditions[1:], FAILED) == conditions[1]
    assert first_broken([], FAILED) is None


@pytest.mark.parametrize(
    ("text", "before", "after_synthesis"),
    [
        ("timing = 'constant'", True, True),
        ("slots <= 4 AND word = 34", True, True),
        ("cycles.latency < 100", True, True),
        ("forecast.lut < 2000", True, True),
        ("dsp <= 12", False, True),
        ("area.value < 1000 AND slots = 1", False, True),
        ("fmax_mhz.usable >= 200", False, False),
        ("time.per_product < 50 OR dsp = 0", False, False),
        ("len(by_mode) > 1 OR seeds > 1", False, False),
        ("width = 8 if width > 3 else fmax_mhz.usable > 3", False, False),
    ],
)
def test_when_it_can_be_decided(text: str, before: bool, after_synthesis: bool) -> None:
    condition = Condition(text)
    assert (condition.before, condition.after_synthesis) == (before, after_synthesis)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dps <= 12", "no name dps; did you mean dsp"),
        ("dsp <=", "syntax error"),
        ("dsp <= 1; SELECT 2", "syntax error"),
        ("fmax_mhz.usble > 3", "usble"),
        ("dsp + 'many'", "many"),
        ("dsp < title", "is compared with"),
        ("title = 3", "is compared with"),
        ("dsp and lut", "is not true or false"),
        ("", "must be a condition"),
        ("true) or (true", "syntax error"),
        ("lut", "true or false for each point"),
        ("(SELECT count(*) FROM read_text('/etc/passwd')) > 0", "syntax error"),
        ("open('/etc/passwd') = 1", "has open.* in it"),
        ("__import__('os') = 1", "has __import__.* in it"),
        ("title.__class__ = 1", "no name title.__class__"),
        ("len.__self__ = 1", "no name len.__self__"),
        ("title.upper() = 1", "has title.upper.* in it"),
        ("(lambda: 1)() = 1", "has .lambda.* in it"),
        ("[x for x in (1, 2)] = 3", "in it"),
        ("{1: 2} = 3", "in it"),
        ("f'{lut}' = '1'", "in it"),
        ("(lut := 3) > 1", "syntax error"),
        ("max(**spec) > 1", "in it"),
        ("max(*spec) > 1", "in it"),
        ("lut[0] > 1", "in it"),
        ("9 ** 9 ** 9 > lut", "in it"),
        ("1 << 99999 > lut", "in it"),
        ("'x' * 999999999 = title", "arithmetic"),
        ("(1, 2) * 999999999 = title", "arithmetic"),
        ("lut is 3", "null only"),
        ("NOT " * 900 + "dsp = 1", "more than 300 parts"),
        ("-" * 4000 + "1 = dsp", "more than 300 parts|nested"),
        ("(" * 1000 + "1 = dsp", "syntax error|nested"),
        ("1" * 5001 + " = dsp", "longer than 5000 letters"),
        ("1" * 4500 + " = dsp", "syntax error|digits"),
        ("title = '\ud800'", "surrogate"),
        ("title = '\0'", "null"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        Condition(text)
    assert caught.value.exit_code == 2


def test_what_cannot_be_evaluated_on_a_record_is_refused() -> None:
    condition = Condition("len(fmax_mhz) > 3")
    with pytest.raises(SpecError, match="no len"):
        condition.holds(ROUTED)
