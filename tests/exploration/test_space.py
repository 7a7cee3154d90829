"""Reading a space: axes, tables, settings, and what is refused."""

from pathlib import Path

import pytest

from modmul import multipliers
from modmul.errors import SpecError
from modmul.exploration import grid, shipped
from modmul.exploration.space import AboveDefault, Budget, parse, read_space

PAGE = Path(__file__).parents[2] / "docs" / "exploration.md"


def test_values_lists_and_ranges_are_axes() -> None:
    space = parse(
        "width = [8, 16]\narchitecture = ['interleaved', 'fpmm']\n"
        "[fpmm]\nword = 4\nslots = { from = 4, to = 8, step = 2 }\n",
        "s",
    )
    first, second = space.blocks
    assert first.architecture == "interleaved" and first.axes == {"width": (8, 16)}
    assert second.axes == {"width": (8, 16), "word": (4,), "slots": (4, 6, 8)}
    assert space.size == 2 + 6


def test_one_and_true_are_different_values() -> None:
    space = parse("width = [8, 8]\nisolated = [true, false]\n", "s")
    assert space.blocks[0].axes == {"width": (8,), "isolated": (True, False)}


def test_a_table_wins_over_the_top_and_several_are_united() -> None:
    space = parse("width = 8\n[[fpmm]]\nword = 4\n[[fpmm]]\nword = 3\nwidth = [9, 10]\n", "s")
    assert [block.axes for block in space.blocks] == [
        {"width": (8,), "word": (4,)},
        {"width": (9, 10), "word": (3,)},
    ]


def test_above_default_counts_from_what_the_other_keys_give() -> None:
    space = parse(
        "width = 64\ntarget = 'ecp5'\n[fpmm]\nword = [17, 34]\nslots = { above-default = 2 }\n", "s"
    )
    assert space.blocks[0].axes["slots"] == tuple(map(AboveDefault, (0, 1, 2)))
    combinations = grid.grid(space)
    assert not combinations.dropped
    for word in (17, 34):
        least = multipliers.find("fpmm")(width=64, word=word, target="ecp5").slots
        slots = [
            point.options["slots"] for point in combinations.points if point.options["word"] == word
        ]
        assert slots == [least, least + 1, least + 2]


def test_settings() -> None:
    space = parse(
        "width = 8\nbudget = '45 min'\nseeds = 3\nproducts = 10\ntime-limit = '2 h'\n"
        "objectives = ['lut', 'cycles.latency']\nwhere = 'dsp <= 3'\n",
        "s",
    )
    assert (space.budget, space.seeds, space.products) == (Budget(seconds=2700.0), 3, 10)
    assert space.time_limit == 7200.0
    assert space.objectives == ("lut", "cycles.latency")
    assert [condition.text for condition in space.where] == ["dsp <= 3"]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (200, Budget(points=200)),
        ("12", Budget(points=12)),
        ("1.5h", Budget(seconds=5400.0)),
        ("30 s", Budget(seconds=30.0)),
    ],
)
def test_budgets(value: object, wanted: Budget) -> None:
    assert Budget.of(value) == wanted


@pytest.mark.parametrize("value", [0, -1, "0 min", "5 parsecs", True, "", 1.5])
def test_no_budgets(value: object) -> None:
    with pytest.raises(SpecError, match="budget = .*must be a number of points, or a time"):
        Budget.of(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wdith = 3", "wdith = 3: no such key"),
        ("[nonsense]\nword = 3", "nonsense = a table: no such key"),
        (
            "width = 8\nword = 4\narchitecture = ['fpmm', 'interleaved']",
            "word = 4, in the top: interleaved has no word; put it into the tables",
        ),
        (
            "width = 8\narchitecture = 'interleaved'\n[interleaved]\nword = 3",
            r"word = 3, in \[interleaved\]: interleaved has no word; it has",
        ),
        ("width = 8\n[fips]\nword = 8", "fips is not among the architectures"),
        ("architecture = 'fmpp'", "architecture = 'fmpp'"),
        ("width = []", "an empty list"),
        ("width = [1.5]", "width = 1.5: must be"),
        ("width = 8\ntime-limit = '1 h'\ntime_limit = '1 s'", "time-limit is given twice"),
        ("[fpmm]\nlatency-reduction = true\nlatency_reduction = false", "given twice"),
        ("architecture = 'interleaved'\ninterleaved = []", "a list with at least one"),
        ("width = { from = 9, to = 8 }", "must be a range"),
        ("width = { from = 8 }", "must be a range"),
        ("width = { above-default = -1 }", "must be a range"),
        ("width = { from = 1, to = 2, step = 0 }", "must be a range"),
        ("seeds = 0", "seeds = 0: must be a whole number from 1"),
        ("where = [3]", "must be a list of strings"),
        ("where = ['dps < 3']", "no name dps; did you mean dsp"),
        ("budget = 'soon'", "budget = 'soon'"),
        ("time-limit = 5", "time-limit = 5: must be a time"),
        ("time-limit = 'soon'", "time-limit = 'soon': must be a time"),
        ("objectives = []", "at least one figure"),
        ("objectives = ['time.per_prod']", "did you mean time.per_product"),
        ("objectives = ['title']", "must be a figure of a record"),
        ("width = ", "not TOML"),
        ("architecture = ['tree-dadda', 'fpmm']\nmodulus = 'p256'", "plain product"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse(text, "s", source="dir/s.toml")
    assert caught.value.message.startswith("dir/s.toml: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read.*gallin2019"):
        read_space(tmp_path / "none.toml")


@pytest.mark.parametrize("name", shipped())
def test_shipped_spaces_are_possible_and_end_within_an_hour(name: str) -> None:
    """The documentation says how many points each has."""
    space = read_space(name)
    assert space.summary and space.budget and space.budget.seconds
    assert space.budget.seconds <= 3600
    combinations = grid.grid(space)
    dropped = sum(group.count for group in combinations.dropped)
    assert len(combinations.points) + combinations.equal + dropped == space.size
    assert {point.spec.design.name for point in combinations.points} == {
        block.architecture
        for block in space.blocks
        if block.architecture not in ("pseudo-mersenne", "gf2m-serial")  # of own fields
    }
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    assert row.endswith(f"| {len(combinations.points)} | {space.budget} |"), "python docs/pages.py"


def test_everything_is_every_modular_multiplier() -> None:
    names = {block.architecture for block in read_space("p256-ecp5").blocks}
    assert names == {n for n, entry in multipliers.REGISTRY.items() if entry.modulus_at != "none"}


def test_processors_are_tried_with_fewer_operations() -> None:
    powers = 'architecture = "exponentiation"\nmultiplier = ["fips", "fpmm"]\nwidth = 64\n'
    assert parse(powers, "x").products == 100
    both = powers.replace('"exponentiation"', '["exponentiation", "fips"]')
    both = both.replace('multiplier = ["fips", "fpmm"]\n', "")
    assert parse(both, "x").products == 3000
    assert parse(f"products = 7\n{powers}", "x").products == 7
    with pytest.raises(SpecError, match="exponentiation has no slots"):
        parse('architecture = "exponentiation"\nslots = 2\n', "x")
    assert grid.grid(parse(powers, "x")).size == 2


def test_a_combination_with_a_multiplier_that_lacks_a_key_is_impossible() -> None:
    text = '[exponentiation]\nmultiplier = ["fips", "fpmm"]\npipeline = "lean"\nwidth = 64\n'
    combinations = grid.grid(parse(f'architecture = "exponentiation"\n{text}', "x"))
    assert [point.options["multiplier"] for point in combinations.points] == ["fpmm"]
    assert combinations.dropped[0].key == "pipeline"
