"""Conditions over the names of a record: what they look at, when they can be decided."""

import pytest

from modmul.errors import SpecError
from modmul.exploration.conditions import Condition, first_broken
from modmul.toolchain import sql

KNOWN = {
    "dsp": 9,
    "timing": "constant",
    "fmax_mhz": {"usable": 220.0},
    "spec": {"latency-reduction": True, "word": 34, "dsp": False},
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("dsp <= 12", True),
        ("dsp = 3", False),
        ("timing = 'constant'", True),
        ("fmax_mhz.usable >= 220 AND word IN (17, 34)", True),
        ("latency_reduction", True),
        ("NOT latency_reduction OR word = 17", False),
        ("spec.dsp", False),
        ("lut < 100", False),  # of something that the point does not have
        ("lut IS NULL", True),
        ("dsp <= 12 -- three rows", True),
        ("dsp = 3 -- or 12)", False),
        ("title LIKE 'F%' OR abs(dsp - 9) < 1", True),
        ("CASE WHEN dsp BETWEEN 1 AND 9 THEN CAST(word AS VARCHAR) = '34' ELSE lut > 1 END", True),
        ("len(by_mode) IS NULL AND cells['LUT4'] IS NULL", True),
    ],
)
def test_holds(text: str, holds: bool) -> None:
    condition = Condition(text)
    assert first_broken([condition], [KNOWN]) == [None if holds else condition]


def test_the_first_that_does_not_hold_for_each_point() -> None:
    conditions = [Condition("dsp < 10"), Condition("timing = 'constant'")]
    points = [{"dsp": 3, "timing": "data-dependent"}, {"dsp": 10}, {"dsp": 3, "timing": "constant"}]
    assert first_broken(conditions, points) == [conditions[1], conditions[0], None]
    assert first_broken([], points) == [None, None, None]


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
        ("dsp <= 1; SELECT 2", "several statements"),
        ("fmax_mhz.usble > 3", "usble"),
        ("dsp + 'many'", "many"),
        ("", "must be a condition"),
        ("count(*) > 0", "true or false for each point"),
        ("unnest([1, 2]) > 1", "true or false for each point|UNNEST"),
        ("true) or (true", "syntax error"),
        ("lut", "true or false for each point"),
        ("dsp > 1 /* ", "unterminated"),
        ("(SELECT count(*) FROM read_text('/etc/passwd')) > 0", "has a subquery in it"),
        ("dsp IN (SELECT 1)", "has a subquery in it"),
        ("(WITH RECURSIVE t AS (SELECT 1 UNION ALL FROM t) FROM t) > 0", "has a subquery in it"),
        ("row_number() OVER () = 1", "has a window in it"),  # depends on the other points
        ("columns(*) IS NULL", "has a star in it"),
        ("$1 IS NULL", "has a parameter in it"),
        ("NOT " * 900 + "dsp = 1", "nested too deeply"),
        ("title = '\ud800'", "surrogate"),
        ("getenv('HOME') = ''", "getenv"),
        ("list_sum(range(3000000000)) > 1", "Out of Memory"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        Condition(text)
    assert caught.value.exit_code == 2


def test_a_value_that_cannot_be_converted_is_refused() -> None:
    condition = Condition("cast(title AS INTEGER) > 3")
    with pytest.raises(SpecError, match="cast.title"):
        first_broken([condition], [{"title": "F44D"}])


def test_a_condition_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "SECONDS", 1.0)
    with pytest.raises(SpecError, match="takes longer than 1 s"):
        Condition("levenshtein(repeat('a', 200000), repeat('b', 200000)) > dsp")
    assert first_broken([Condition("dsp = 9")], [KNOWN]) == [None]


def test_rows_that_are_not_one_for_each_point_are_refused() -> None:
    """As many as there are elements: none of a point could be told from those of another."""
    several = Condition("unnest(CASE WHEN dsp IS NULL THEN [true] ELSE [true, false] END)")
    with pytest.raises(SpecError, match="is not true or false for each point"):
        first_broken([several], [{"dsp": 1}, {"dsp": 2}])
    with pytest.raises(SpecError, match="is not true or false for each point"):
        Condition("unnest([true, true])")
