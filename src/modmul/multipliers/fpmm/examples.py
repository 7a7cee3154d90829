"""Instances for the conformance tests: every pipeline, variant, tiling and kind of slot, at widths
where carries are frequent."""

from __future__ import annotations

from typing import Any

_SMALL: list[dict[str, Any]] = [
    {"width": 4, "word": 2, "tile": "2x2"},
    {"width": 5, "word": 4, "tile": "2x2"},
    {"width": 5, "word": 3, "tile": "3x2", "pipeline": "lean"},
    {"width": 6, "word": 4, "tile": "2x2", "latency_reduction": False},
    {"width": 6, "word": 4, "tile": "4x4", "variant": "small", "isolated": True},
    {"width": 6, "word": 2, "tile": "2x2", "pipeline": "lean", "slots": 5},
    {"width": 9, "word": 4, "tile": "2x2", "target": "ecp5", "pipeline": "lean"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "ecp5", "isolated": True},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc7"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc6s"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc2vp"},
    {"width": 6, "word": 4, "tile": "2x2", "target": "xc4v", "storage": "block"},
    {"width": 9, "word": 4, "tile": "2x2", "target": "xc4v", "storage": "block"},
    {"width": 6, "word": 4, "tile": "2x2", "bubbles": True},
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "target": "ecp5",
        "bubbles": True,
        "slots": 2,
        "modulus_storage": "shift-register",
    },
    {"width": 9, "word": 4, "tile": "2x2", "target": "ecp5", "modulus_port": "paired"},
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "target": "xc7",
        "quotient_slices": "each",
        "latency_reduction": False,
        "modulus_storage": "shift-register",
    },
    {
        "width": 9,
        "word": 4,
        "tile": "2x2",
        "slice_registers": "2313/2/3123",
        "modulus_port": "paired",
    },
]
_LARGER: list[dict[str, Any]] = [
    {"width": 14, "word": 4, "tile": "3x2", "storage": "block"},
    {"width": 22, "word": 6, "tile": "3x3", "dsp_registers": 2, "variant": "small"},
    {"width": 30, "word": 8, "tile": "3x2", "pipeline": "fast"},
    {"width": 16, "word": 12, "tile": "3x3", "latency_reduction": False},
    {"width": 66, "word": 17},
    {"width": 128, "target": "ecp5"},
    {"width": 128, "target": "ecp5", "pipeline": "fast", "storage": "block"},
    {"width": 100, "word": 51, "target": "ecp5"},
    {"width": 40, "word": 8, "tile": "4x4", "target": "ecp5", "latency_reduction": False},
    {"width": 100, "target": "xc7"},
    {
        "width": 40,
        "word": 34,
        "target": "xc7",
        "slice_registers": "2333/3/3323",
        "modulus_storage": "shift-register",
        "modulus_port": "paired",
    },
    {"width": 90, "word": 18, "tile": "9x9", "target": "xc7", "pipeline": "fast"},
    {"width": 100, "word": 24, "tile": "24x17", "target": "xc7", "variant": "small"},
    *({"width": 40, "word": 34, "target": target} for target in ("xc4v", "xc5v", "xc6s", "xcup")),
]

EXAMPLES = _SMALL + _LARGER
