"""Writes the self-checking testbench of a processor, in Verilog-2005."""

from __future__ import annotations

from typing import Any

from modmul.export.hdl import Hdl, header
from modmul.export.ports import ENABLE, Port, ports, reset_of
from modmul.export.processor.plan import Offered, TestbenchPlan
from modmul.export.testbench import templates
from modmul.operation import Job
from modmul.spec import Spec

_QUIET = 2000  # with so many cycles without a beat, besides the longest operation, it is stuck


def testbench(spec: Spec, hdl: Hdl, name: str, plan: TestbenchPlan, files: str) -> str:
    """Modules `<name>_tb`, and `<name>_check`, which has the clock as its only port.

    files: the list of files to simulate, named in its header."""
    processor = spec.processor
    module_ports = ports(processor, "stream", hdl.pins)
    longest = max(operation.cycles.maximum for operation in plan.operations)
    streams = [_stream(stream.name, module_ports, plan) for stream in processor.streams]
    return (
        templates()
        .get_template("processor_tb.v.j2")
        .render(
            header=header(processor, "//"),
            name=name,
            dut=hdl.stream,
            files=files,
            ports=module_ports,
            reset=reset_of(module_ports).name,
            reset_low=hdl.pins.reset_low,
            enable=ENABLE if hdl.pins.clock_enable else None,
            inputs=[stream for stream in streams if stream["name"] != "result"],
            result=next(stream for stream in streams if stream["name"] == "result"),
            request=plan.request,
            plan=plan,
            said=[_said(operation.job) for operation in plan.operations],
            patience=longest + _QUIET,
        )
    )


def _stream(name: str, module_ports: tuple[Port, ...], plan: TestbenchPlan) -> dict[str, Any]:
    """A stream of the testbench: its fields, highest bits first, and its beats packed."""
    fields = [port for port in module_ports if port.stream == name]
    payload = [port for port in fields if port.field not in ("valid", "ready")][::-1]
    beats = plan.results if name == "result" else plan.inputs[name]
    return {
        "name": name,
        "fields": payload,
        "width": sum(port.width for port in payload),
        "beats": [_packed(beat, payload) for beat in beats],
        "offered": beats,
    }


def _packed(offered: Offered, payload: list[Port]) -> int:
    value = 0
    members = offered.beat | {"first": int(offered.first), "last": int(offered.last)}
    for port in payload:
        assert port.field is not None
        value = value << port.width | members[port.field]
    return value


def _said(job: Job) -> str:
    shown, mode = f"{job.modulus:#x}", job.mode.name
    return f"{mode}, N = {shown if len(shown) <= 40 else f'{shown[:40]}...'}"
