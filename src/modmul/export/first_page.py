"""Writes the first page of a datasheet, row by row: what the design computes, and its cost."""

from __future__ import annotations

from typing import Any

from modmul import targets
from modmul.errors import SpecError
from modmul.export.vhdl.text import kind
from modmul.spec import Spec
from modmul.targets import CellArea, Limit, Target
from modmul.toolchain.quantities import cycle_words

Wave = tuple[str, str]
_TIMES = {f"{times} * N": times for times in range(1, 9)}  # bounds of results


def rows(description: dict[str, Any], *, operands: str, result: str) -> list[Wave]:
    """Labels with texts in Markdown.  operands, result: ranges in words."""
    lines = [("Operands", operands), ("Result", result)]
    if description["arithmetic"]["kind"] == "modular":
        lines.append(("Modulus", _modulus(description)))
    product = _product(description)
    lines += [("To get a * b mod N", product)] if product else []
    lines += [
        ("Latency", _latency(description)),
        ("Throughput", _throughput(description)),
        ("Area and clock", measured(description)),
        ("Timing", timing(description)),
        ("Checked", checked(description)),
        ("Module", _modules(description)),
    ]
    return lines


def is_vhdl(description: dict[str, Any]) -> bool:
    """Whether the design is delivered in VHDL alone."""
    return bool(description["spec"].get("language") == "vhdl")


def design_file(description: dict[str, Any]) -> str:
    return f"{description['name']}.{'vhd' if is_vhdl(description) else 'v'}"


def instance(description: dict[str, Any]) -> str:
    """The instance of the top module, with a signal for every port."""
    ports = description["ports"][description["spec"]["interface"]]
    name, top = description.get("role", "multiplier"), description["modules"]["top"]
    return (_in_vhdl if is_vhdl(description) else _in_verilog)(ports, top, name)


def _in_vhdl(ports: list[dict[str, Any]], top: str, name: str) -> str:
    wide = max(len(port["name"]) for port in ports)
    signals = [
        f"signal {port['name']:<{wide}} : {kind(port['width'], vector=True)};" for port in ports
    ]
    pins = [f"    {port['name']:<{wide}} => {port['name']}" for port in ports]
    notes = [f"-- {port['direction']}" for port in ports]
    ends = [f"{pin}{',' if pin is not pins[-1] else ' '}".ljust(2 * wide + 9) for pin in pins]
    body = "\n".join(f"{end} {note}" for end, note in zip(ends, notes, strict=True))
    instance = [f"{name} : entity work.{top}", "  port map (", body, "  );", ""]
    return "\n".join([*signals, "", *instance])


def _in_verilog(ports: list[dict[str, Any]], top: str, name: str) -> str:
    ranges = [f"[{port['width'] - 1}:0]" if port["width"] > 1 else "" for port in ports]
    wide = max(map(len, ranges))
    widest = max(len(port["name"]) for port in ports)
    wires = [
        f"wire {bits:<{wide}} {port['name']};" for bits, port in zip(ranges, ports, strict=True)
    ]
    pins = [f"  .{port['name']:<{widest}} ({port['name']})" for port in ports]
    ends = [f"{pin}{',' if pin is not pins[-1] else ' '}".ljust(2 * widest + 8) for pin in pins]
    notes = [f"// {port['direction']}" for port in ports]
    body = "\n".join(f"{end} {note}" for end, note in zip(ends, notes, strict=True))
    return "\n".join([*wires, "", f"{top} {name} (", body, ");", ""])


def _modulus(description: dict[str, Any]) -> str:
    loaded = "loaded at run time" if description["reload"] else "fixed"
    own = description["spec"]["modulus"]
    named = f"{own}; " if own and len(str(own)) <= 20 else ""
    moduli = description["arithmetic"]["moduli"]
    letter = "" if moduli.startswith(("GF", "N ")) else "N "
    named = "" if moduli.startswith("N =") else named  # the text names the modulus already
    return f"{named}{letter}{moduli}; {loaded}"


def _product(description: dict[str, Any]) -> str | None:
    """Say how the factor 1/R is removed; None if there is none."""
    arithmetic = description["arithmetic"]
    if arithmetic["formula"] != "a * b / R mod N":
        return None
    again = "multiply the result once more, by R^2 mod N"
    if not arithmetic["chainable"]:
        again = "reduce the result below the limit of operands, multiply it by R^2 mod N"
    if arithmetic["field"] == "binary":
        return f"{again}; the product is reduced"
    below = {row["result_below"]["formula"] for row in arithmetic["ranges"]}
    times = max(_TIMES.get(formula, 1) for formula in below) - 1
    if times <= 1:
        return f"{again}, and subtract N if the product is not below N"
    return f"{again}, and subtract N as long as the product is not below N, at most {times} times"


def _latency(description: dict[str, Any]) -> str:
    """The latency of the first mode, which is the longest or that of the modulus."""
    figures = next(iter(description["cycles"].values()))
    text = f"{span(figures['latency'], figures['mean']['latency'])} cycles"
    if description["spec"]["interface"] == "stream":
        text += f" of the core, and {figures['adapter']} of the adapter"
    return text + _of_mode(description)


def _throughput(description: dict[str, Any]) -> str:
    figures, slots = next(iter(description["cycles"].values())), description["slots"]
    interval, latency = figures["mean"]["interval"], cycle_words(figures["mean"]["latency"])
    cycles, turn = cycle_words(figures["per_product"]), cycle_words(interval)
    each = "a product every " + ("cycle" if cycles == "1" else f"{cycles} cycles")
    total = f"k products: {latency} + {turn} * (k - 1) cycles"
    if slots > 1:
        total = (
            f"k products: {latency} + {turn} * ((k - 1) div {slots}) + "
            f"{cycle_words(figures['next_slot'])} * ((k - 1) mod {slots}) cycles"
        )
    pipelined = slots == 1 and interval < figures["mean"]["latency"]
    flight = "" if pipelined else f", {slots} in flight"  # else it says less than the two figures
    return f"{each}{flight}; {total}{_of_mode(description)}"


def _of_mode(description: dict[str, Any]) -> str:
    """A note that these are the cycles of the first mode, if there are several."""
    several = len(description["cycles"]) > 1
    return " (first row of [Cycles](#cycles))" if several else ""


def timing(description: dict[str, Any]) -> str:
    if description["timing"] == "constant":
        return "constant, [proved](#timing-and-secrets) on the text as it is here"
    return f"**{description['timing']}**: [not for secret operands](#timing-and-secrets)"


def checked(description: dict[str, Any]) -> str:
    simulated = description["simulated"]
    if not simulated:
        return "**not simulated**: built with `--no-check`"
    named = {"verilator": "Verilator", "icarus": "Icarus Verilog", "ghdl": "GHDL"}
    if "ghdl" in (besides := description.get("simulated_besides", {})):
        simulated = {**simulated, "ghdl": besides["ghdl"]}
    verdicts = [f"{named[key]}: {verdict or 'not installed'}" for key, verdict in simulated.items()]
    return f"its own testbench in {'; '.join(verdicts)}"


def _modules(description: dict[str, Any]) -> str:
    modules = description["modules"]
    text = f"`{modules['top']}`, in `{design_file(description)}`"
    if description["spec"]["interface"] == "stream":
        return f"{text}: with the elastic adapter around the bare core, `{modules['core']}`"
    return f"{text}: the bare core, which cannot wait"


def measured(description: dict[str, Any]) -> str:
    figures = description["measured"]
    if figures is None:
        spec = Spec.from_options(description["spec"])
        return _too_large(spec) or _how_to_measure(spec.design.chip)
    alone = description["modules"]["core"] is None
    text = _figures(figures)
    text = text.replace("bare core: ", "").replace(" (bare core)", "") if alone else text
    if "on_bus" in figures:
        whole = _figures(figures["on_bus"]).replace("bare core: ", "").replace(" (bare core)", "")
        return f"on {description['spec']['bus']}, {whole}; without the bus, {text}"
    return text


def _figures(measured: dict[str, Any]) -> str:
    return _in_cells(measured) if "library" in measured else _on_chip(measured)


def _too_large(spec: Spec) -> str | None:
    """Says that the device is too small by the estimate of the design, so that `implement` would
    refuse it; None if it is not."""
    chip, size = spec.design.chip, spec.design.forecast()
    device = targets.find_device(chip, spec.device)
    if device is None:
        return None
    area = CellArea(size.lut, size.ff, size.dsp, chip.ram_blocks(size.ram_bits))
    try:
        targets.check_size(chip, device, area)
    except SpecError as error:
        return f"not measured; by estimate, {error.message}"
    return None


def _how_to_measure(chip: Target) -> str:
    """What `implement` measures on this chip: a clock only where there is a router."""
    how = "with the [parameters](#parameters) below"
    put = "`modmul build --seeds 8` puts the figures here"
    if chip.router or chip.takes_library:
        return f"not measured: `modmul implement` {how} does that, {put}"
    estimated = chip.arcs is not None and chip.arcs.delays is not None
    also = "measures the area and estimates a delay" if estimated else "measures the area"
    clock = f"modmul has no router for {chip.name}, so only the tools of its vendor give a clock"
    return f"not measured: `modmul implement` {how} {also}, {put}; {clock}"


def limit_note(limit: Limit | None, description: dict[str, Any]) -> str:
    """What the clock of the datasheet's times is, and who measures the real one."""
    if limit is None:
        return ""
    routed = targets.find(description["spec"]["target"]).router is not None
    who = "`modmul implement` measures" if routed else "only the tools of the vendor give"
    return (
        f"{limit.clock} is the limit of the slowest hard block in the design ({limit.block}; "
        f"{limit.named_source}), not the clock after place and route: {who} that."
    )


def _on_chip(measured: dict[str, Any]) -> str:
    clock, adapter = measured["fmax_mhz"], measured["adapter"]
    estimated = measured.get("estimated_mhz")
    parts = []
    if adapter is not None:
        both = adapter["mhz_with_core"]
        slower = "" if both is None else f", usable clock {min(clock['usable'], both):g} MHz"
        lut, ff = measured["lut"] + adapter["lut"], measured["ff"] + adapter["ff"]
        parts.append(f"{lut} LUT, {ff} FF, {measured['dsp']} DSP{slower} (with the adapter)")
    ram = f", {measured['ram_bits']} bits of block RAM" if measured["ram_bits"] else ""
    area = f"{measured['lut']} LUT, {measured['ff']} FF, {measured['dsp']} DSP{ram}"
    parts.append(f"bare core: {area}")
    if clock is not None:
        count = len(clock["seeds"])
        parts += [
            f"usable clock {clock['usable']:g} MHz, limited by {clock['limited_by']}",
            f"routed with {count} seed{'s' * (count > 1)}: median {clock['median']:g} MHz, "
            f"best {clock['best']:g} MHz",
        ]
    elif estimated is not None:
        parts.append(
            f"estimated clock {estimated['mhz']:g} MHz ({estimated['low']:g} to "
            f"{estimated['high']:g}), limited by {estimated['limited_by']}; {estimated['source']}"
        )
    else:
        parts.append("no clock: nothing routes this chip here")
    where = f" on {measured['device']}" if measured["device"] else ""
    return f"measured{where}: {'; '.join(parts)}"


def _in_cells(measured: dict[str, Any]) -> str:
    area, path = measured["area"], measured["critical_path"]
    library = measured["library"]["name"]
    text = f"measured in {library}: {area['value']:g} {area['unit']} (bare core)"
    if path is not None:
        text += f"; longest path {path['value']:g} {path['unit']}, no wires"
    adapter = measured["adapter"]
    if adapter is not None:
        text += f"; the adapter adds {adapter['area']['value']:g} {adapter['area']['unit']}"
    return text


def span(cycles: list[int], mean: float | None = None) -> str:
    """A range of cycles in words: one figure if it is constant."""
    low, high = cycles
    if low == high:
        return f"{low}"
    return f"{low} to {high}" + ("" if mean is None else f", mean {cycle_words(mean)}")
