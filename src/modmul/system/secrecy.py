"""Says what is secret in a design on a bus, and what has to be proved about its time.

A bus carries public and secret words over the same wires.  Which of them a word is, its address
tells: secret is what is written into the window of a secret stream, and whatever lies on the wires
while nothing is written.  So cycles are told apart by the access; and what is read is secret where
it is read from the window of a result, but nowhere else."""

from __future__ import annotations

import re

from modmul.design import Design
from modmul.export import secrecy
from modmul.export.hdl import Hdl
from modmul.system import buses
from modmul.system.registers import RegisterMap
from modmul.timing_proof.certificate import Boundary, ProofSubject, Situation

_ASSUMES = (
    "Secrets are written into windows of secret streams, and results are read from theirs.",
    "The bus hands on what is written with its own address: simulated, and proved for small "
    "designs, not here.",
)


_NO_FAULT = (
    "No fault is detected. After one the flag is public: whether the copies of the core differ "
    "depends on what they compute."
)


def subject(
    design: Design, written: Hdl, regs: RegisterMap, bus: str, module: str, verilog: str
) -> ProofSubject:
    """What `certificate.prove` has to prove of the module on a bus: no secret reaches a
    handshake, an error, the interrupt, or what is read from a register.  verilog: the text of the
    module, which follows that of the design.  The registers and the core are proved separately."""
    shell = buses.REGISTRY[bus]
    text = f"{written.verilog}\n{verilog}"
    core = secrecy.subject(design, written, "stream")
    inner = f"{module}_registers"
    registers = ProofSubject(text, inner, design.timing, _registers(regs, text, inner))
    source, read = shell.data
    outputs = [port.name for port in shell.ports(regs.address_bits) if port.direction == "output"]
    controls = tuple(name for name in outputs if name != read)
    return ProofSubject(
        text,
        module,
        design.timing,
        Boundary((source,), controls),
        core.blocks,
        (registers, core),
        (*_ASSUMES, *([_NO_FAULT] if regs.protected else []), *core.assumes),
    )


def _registers(regs: RegisterMap, text: str, module: str) -> Boundary:
    """The boundary of the proof for the registers, a module of the text with the native port
    on one side and the streams on the other."""
    (head,) = re.findall(rf"^module {module} \((.*?)^\);", text, re.M | re.S)
    ports = {
        name: direction
        for direction, name in re.findall(
            r"^  (input|output) (?:wire|reg) (?:\[\d+:0\] )?(\w+)", head, re.M
        )
    }
    beats = {
        channel.name_for(f"{channel.name}_beat", lane.name): channel
        for channel in regs.channels
        for lane in channel.lanes
    }
    # A result is made of secrets, whatever becomes of it outside.
    results = tuple(name for name, beat in beats.items() if beat.direction == "output")
    secret = {name for name, channel in beats.items() if channel.secret} | {*results}
    controls = tuple(
        name
        for name, direction in ports.items()
        if direction == "output" and name not in secret and name != "rdata"
    )
    no_fault = (("result_flag", 0, 1, 0),) if regs.protected else ()
    always = ("wdata", *results, *(name for name, *_ in no_fault))
    shift = (regs.unit - 1).bit_length()
    kinds = [(results, ()), (always, (("en", 0, 1, 0),)), (always, (("we", 0, 1, 0),))]
    kinds += [
        (always, (("addr", shift, regs.address_bits - shift, window.address // regs.unit),))
        for window in regs.windows
        if window.secret and window.access == "write"
    ]
    situations = tuple(
        Situation(secrets, (*known, ("core_reset", 0, 1, wiping), *no_fault))
        for secrets, known in kinds
        for wiping in (0, 1)
    )
    unread = tuple((f"reads_{lane.name}", 0, 1, 0) for lane in regs.result.lanes)
    return Boundary(
        always,
        controls,
        None,
        situations,
        tuple(Situation(each.secrets, (*each.known, *unread), ("rdata",)) for each in situations),
    )
