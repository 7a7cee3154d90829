"""Searches for the front of a space that is too large to be measured completely, with NSGA-II in
Optuna."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modmul.exploration.estimates import sorted_by_estimate
from modmul.exploration.grid import Combinations, Dropped, GridPoint
from modmul.exploration.names import figure
from modmul.exploration.record import Record
from modmul.exploration.space import Space
from modmul.toolchain.steps import canonical

if TYPE_CHECKING:
    from optuna.trial import Trial

GRID_LIMIT = 20_000  # the most combinations that are tried one by one
SEED = 1
_POPULATION = 24
_SAMPLE = 1000  # combinations whose estimates choose the first population
_TRIES = 200  # impossible or known combinations in a row after which there is nothing new
_BLOCK = "block"  # the axis that selects a table of the space

Places = dict[str, int]  # for each axis, the index of one of its values


class Search:
    """Points proposed by a genetic algorithm over the axes of a space, from the figures measured so
    far.

    The first population is the likely front of a random sample, by estimates.  The algorithm gets
    the figures of points that have a record already, so an interrupted search continues from its
    records."""

    def __init__(self, space: Space):
        import optuna  # which takes long, and only a search needs it

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.space = space
        self.equal = 0
        self._combinations = Combinations(space)
        self._waiting: dict[str, list[Trial]] = {}  # trials of a point that is being measured
        self._values: dict[str, list[float] | None] = {}  # figures of points with a record
        sampler = optuna.samplers.NSGAIISampler(seed=SEED, population_size=_POPULATION)
        self._study = optuna.create_study(
            directions=["minimize"] * len(space.objectives), sampler=sampler
        )
        self._failed = optuna.trial.TrialState.FAIL
        likely = self._likely()
        self.size = space.size if likely else 0
        for places in likely:
            self._study.enqueue_trial(places)

    @property
    def dropped(self) -> Sequence[Dropped]:
        """The impossible combinations that were met."""
        return self._combinations.dropped

    def next(self) -> GridPoint | None:
        for _ in range(_TRIES):
            trial = self._study.ask()
            point = self._point(self._suggested(trial))
            if point is None:
                self._answer(trial, None)
                continue
            name = canonical(point.options)
            if name in self._values:
                self._answer(trial, self._values[name])
            elif name in self._waiting:
                self._waiting[name].append(trial)
            else:
                self._waiting[name] = [trial]
                return point
        return None

    def tell(self, point: GridPoint, record: Record) -> None:
        name = canonical(point.options)
        values = [figure(record, objective) for objective in self.space.objectives]
        known = [value for value in values if value is not None]
        right = record.status == "done" and len(known) == len(values)
        self._values[name] = known if right else None
        for trial in self._waiting.pop(name, []):
            self._answer(trial, self._values[name])

    def _answer(self, trial: Trial, values: list[float] | None) -> None:
        if values is None:
            self._study.tell(trial, state=self._failed)
        else:
            self._study.tell(trial, values)

    def _suggested(self, trial: Trial) -> Places:
        """Return the places of the values that a trial takes, on the axes of one table."""
        block = trial.suggest_int(_BLOCK, 0, len(self.space.blocks) - 1)
        axes = self.space.blocks[block].axes
        places = {
            key: trial.suggest_int(f"{block}:{key}", 0, len(axis) - 1) for key, axis in axes.items()
        }
        return {_BLOCK: block, **{f"{block}:{key}": place for key, place in places.items()}}

    def _point(self, places: Places) -> GridPoint | None:
        """Return the point at these places; None if it is impossible or breaks a condition."""
        block = self.space.blocks[places[_BLOCK]]
        values = {key: axis[places[f"{places[_BLOCK]}:{key}"]] for key, axis in block.axes.items()}
        options: dict[str, Any] = {"architecture": block.architecture, **values}
        point = self._combinations.make(options)
        return point if point is not None and self._combinations.allow(point) else None

    def _likely(self) -> list[Places]:
        """Return the first population: from a random sample, the front by estimates, and those next
        to it."""
        rng = random.Random(SEED)
        sizes = [block.size for block in self.space.blocks]
        likely: dict[str, tuple[GridPoint, Places]] = {}
        for _ in range(_SAMPLE):
            block = rng.choices(range(len(sizes)), sizes)[0]
            axes = self.space.blocks[block].axes
            places = {f"{block}:{key}": rng.randrange(len(axis)) for key, axis in axes.items()}
            chosen = {_BLOCK: block, **places}
            point = self._point(chosen)
            if point is not None:
                likely.setdefault(canonical(point.options), (point, chosen))
        ordered = sorted_by_estimate([point for point, _ in likely.values()], self.space.objectives)
        return [likely[canonical(point.options)][1] for point in ordered[:_POPULATION]]
