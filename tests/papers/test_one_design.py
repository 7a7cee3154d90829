"""Where cycles of a circuit stand beside its cells or its clock, both are of one design: cycles may
be asked of another target only where they do not depend on it."""

import pytest

from modmul.multipliers import Multiplier
from modmul.papers import alkhaleel2006
from modmul.papers.alkhaleel2006 import designs as arrays
from modmul.papers.alkhaleel2006.designs import partitions
from modmul.papers.amanor2005.designs import NAMES, PAPERS_TARGET, WIDTHS, design
from modmul.papers.dualfips.measured import AREAS, spec_of
from modmul.papers.gallin2019 import designs as pipelines
from modmul.papers.kuang2016.designs import DESIGNS, SIZES, options
from modmul.spec import Spec


def same(*multipliers: Multiplier) -> bool:
    first, *others = (multiplier.cycles() for multiplier in multipliers)
    return all(other == first for other in others)


@pytest.mark.parametrize("name", DESIGNS)
def test_cycles_of_kuang2016_are_those_of_the_cells(name: str) -> None:
    for size in SIZES:
        given = options(name, size)
        assert same(
            *(Spec.from_options({**given, "target": t}).multiplier for t in ("generic", "cells"))
        )


@pytest.mark.parametrize("name", NAMES)
def test_cycles_of_amanor2005_are_those_of_the_chips_that_are_counted(name: str) -> None:
    for width in WIDTHS:
        assert same(*(design(name, width, target) for target in ("generic", PAPERS_TARGET, "xc7")))


@pytest.mark.parametrize("name", NAMES)
def test_cycles_of_amanor2005_are_not_those_of_an_ecp5(name: str) -> None:
    """So its times, and those of RSA, are computed with the cycles of the design that is routed."""
    designs = ((design(name, width, "ecp5"), design(name, width)) for width in WIDTHS)
    more = [own.cycles_per_product() - other.cycles_per_product() for own, other in designs]
    assert all(
        extra == 0 if width <= 128 else 3 <= extra <= 12
        for width, extra in zip(WIDTHS, more, strict=True)
    )


@pytest.mark.parametrize("name", AREAS)
def test_cycles_of_dualfips_are_those_of_the_chips(name: str) -> None:
    assert same(spec_of(name, "xc7").multiplier, spec_of(name, "ecp5").multiplier)


def test_cycles_of_alkhaleel2006_are_those_of_the_chips() -> None:
    of_table_3 = partitions(alkhaleel2006.PAPER.figures()).items()
    unfolded = [(arrays.modular(count), width) for width, count in of_table_3]
    folded = [(arrays.folded(count), arrays.FOLDED_WIDTH) for count in arrays.PARTITIONS]
    for circuit, width in (*unfolded, *folded):
        assert same(*(circuit.multiplier(width, target) for target in ("generic", *arrays.TARGETS)))


def test_cycles_of_gallin2019_are_not() -> None:
    """So its Table II has columns for each design."""
    designs = [pipelines.design(128, "F44D", target) for target in ("generic", "xc7", "ecp5")]
    assert [design.latency().maximum for design in designs] == [75, 69, 74]
