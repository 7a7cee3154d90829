"""RSA: private operations with a key that is loaded at run time, and public ones.

The engine (docs/engine.md) has its programs in its ROM.  A key whose modulus n = p*q has at most as
many bits as the multiplier is used as it is, x^d mod n; a longer one, of primes that fit, by the
Chinese remainder theorem: x is reduced modulo p and q, x^dp mod p and x^dq mod q are computed one
after the other, or on two multipliers (`units`) side by side, and joined on the chip.  Exponents
are taken in windows of five bits, the whole table read for each (`window`), or bit by bit
(`ladder`).

Before a beat of the result leaves, its e-th power is compared with x: modulo n, or modulo p and
modulo q.  If it is not x, zeros come in its place and the status tells a fault; a result that is
right modulo one prime and wrong modulo the other would give the factors away.

x may be blinded by r^e and 1/r, and exponents by random multiples of p - 1 and q - 1, both from the
stream random.  The key and x are secret: time, addresses and handshakes do not depend on them, but
on the multiplier's width, on whether n fits it, and on the length of e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from modmul import multipliers
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Field
from modmul.design import Beats, Cycles, Job, Mode, OperandRule, Stream
from modmul.errors import SpecError
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import parameter
from modmul.processors.contract import Load, signature
from modmul.processors.engine import forecast, operation, transport
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.sequencer import COUNT_BITS
from modmul.processors.engine.machine import Engine
from modmul.processors.engine.operation import Result
from modmul.processors.engine.processor import EngineProcessor, refusal
from modmul.processors.rsa import numbers, operations, programs
from modmul.processors.rsa.examples import EXAMPLES
from modmul.processors.rsa.operations import PRIVATE, PUBLIC, USUAL
from modmul.processors.rsa.powers import LADDER, WINDOW
from modmul.processors.rsa.programs import Programs, SecondPrograms
from modmul.processors.rsa.second import TAKEN, Second, turns

if TYPE_CHECKING:
    from amaranth.lib import wiring


@dataclass(frozen=True, kw_only=True)
class Rsa(EngineProcessor):
    """Parameters of one processor for RSA."""

    name = "rsa"
    summary = "RSA: private operations, by the primes or without, and public ones; keys at run time"
    sources = ("amanor2005",)
    takes_keys: ClassVar[bool] = True
    compared: ClassVar[Mapping[str, str | None]] = {PRIVATE: "rsa-engine"}
    operands: ClassVar[Mapping[str, tuple[str, ...]]] = operations.OPERANDS
    results: ClassVar[Mapping[str, tuple[str, ...]]] = operations.RESULTS
    secret_streams: ClassVar[tuple[str, ...]] = ("modulus", *SOURCES)
    method: str = parameter(
        WINDOW, "how powers with a secret exponent are computed: windows of five bits, the whole "
        "table read for each, or a ladder, with fewer registers",
        choices=(WINDOW, LADDER),
    )  # fmt: skip
    base_blinding: bool = parameter(
        False, "multiply x by r^e and the result by 1/r, which come from the stream random, modulo "
        "each prime",
    )  # fmt: skip
    exponent_blinding: int = parameter(
        0, "bits of a number from the stream random, of which that multiple of p - 1 is added to "
        "the exponent; 0: none", minimum=0, maximum=1024,
    )  # fmt: skip

    def check(self) -> None:
        """SpecError for a multiplier that the engine cannot have, and for a second port."""
        if self.ports > 1:
            raise refusal("ports", self.ports, "1: a second multiplier has an engine of its own")
        super().check()
        operations.check_engine(self.engine)
        if self.exponent_blinding > self.engine.wide:
            raise refusal("exponent-blinding", self.exponent_blinding,
                          f"at most {self.engine.wide}, the bits of a register")  # fmt: skip

    @classmethod
    def takes(cls, architecture: type[Multiplier]) -> bool:
        try:
            return super().takes(architecture) and cls(multiplier=architecture()) is not None
        except SpecError:
            return False

    # ---- facts --------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        """That with all programs; a second multiplier has one of its own beside it."""
        return Engine(self.multiplier)

    @cached_property
    def programs(self) -> Programs:
        """The programs, assembled when they are first asked for."""
        return Programs(**self._chosen)

    @cached_property
    def second(self) -> Second | None:
        """The second engine, if there is one."""
        if self.units == 1:
            return None
        return Second(SecondPrograms(**self._chosen), self.secret_streams)

    @property
    def _chosen(self) -> dict[str, Any]:
        """What programs depend on."""
        return {
            "engine": self.engine, "storage": self.register_file, "method": self.method,
            "base_blinding": self.base_blinding, "exponent_blinding": self.exponent_blinding,
            "engines": self.units,
        }  # fmt: skip

    @property
    def streams(self) -> tuple[Stream, ...]:
        found = super().streams
        return found if self.second is None else self.second.streams(found)

    @property
    def title(self) -> str:
        memory = "" if self.register_file == "block" else "-distributed"
        base = "-two" * (self.units > 1) + "-blinded" * self.base_blinding
        exponent = f"-exponent-{self.exponent_blinding}" if self.exponent_blinding else ""
        return f"rsa-{self.method}{base}{exponent}{memory}-{self.multiplier.title}"

    def check_modulus(
        self, modulus: int, field: Field | None = None, curve: Curve | None = None
    ) -> None:
        if field == "binary":
            raise refusal("modulus", hex(modulus), "a number: RSA is modulo numbers")
        operations.check_modulus(modulus, self.width, self._longest)

    def over(self, modulus: int, field: Field = "prime") -> Setting:
        return self.engine.over(self.moduli(modulus)[0])

    @property
    def _longest(self) -> int:
        """Bits of a public exponent, at most."""
        return min(self.engine.wide, (1 << COUNT_BITS) - 1)

    def _halves(self, modulus: int) -> bool:
        """Whether a private operation is done modulo p and q, as n does not fit."""
        return isinstance(modulus, Key) and modulus.bit_length() > self.width

    # ---- operations ---------------------------------------------------------------------------

    def operations_on(self, load: Load) -> tuple[str, ...]:
        if not isinstance(load.modulus, Key):
            return (PUBLIC,)
        if self._halves(load.modulus):
            return (PRIVATE,)
        return PRIVATE, PUBLIC

    def mode_for(
        self,
        operation: str,
        modulus: int,
        field: Field = "prime",
        length: int | None = None,
        curve: Curve | None = None,
    ) -> Mode:
        """length: of the public exponent; that of a private operation is the key's."""
        known = self.operations_on(Load(modulus, field, curve))
        if operation not in known:
            with_what = "with a key" if isinstance(modulus, Key) else "without a key"
            raise refusal("operation", operation, f"one of {', '.join(known)} {with_what}")
        bits = operations.length(operation, modulus, length, self._longest)
        return self._mode(operation, bits, self._halves(modulus))

    def _mode(self, operation: str, length: int, halves: bool = False) -> Mode:
        """words: of the modulus n."""
        words = self.engine.machine.beats * (1 + halves)
        return Mode(operation, words=words, length=length)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """With the usual public exponent: of a key by halves, of one that fits, public."""
        usual = min(USUAL, self._longest)
        return (self._mode(PRIVATE, usual, True), self._mode(PRIVATE, usual),
                self._mode(PUBLIC, usual))  # fmt: skip

    def operand_rules(self, mode: Mode, modulus: int) -> tuple[OperandRule, ...]:
        return operations.rules(mode.operation, modulus, self._longest)

    # ---- what its programs take and give -------------------------------------------------------

    def program_in(self, mode: Mode) -> str:
        if mode.operation == PUBLIC:
            return programs.PUBLIC
        return programs.PLAIN if mode.words == self.engine.machine.beats else self.programs.names[0]

    def passes(self, mode: Mode) -> int:
        return max(1, mode.length or 0)

    def moduli(self, modulus: int, curve: Curve | None = None) -> tuple[int, ...]:
        return numbers.moduli(modulus, self.width, self._halves(modulus))

    def constants(
        self, modulus: int, field: Field = "prime", curve: Curve | None = None
    ) -> list[Constant]:
        self.check_modulus(modulus, field, curve)
        known = self.operations_on(Load(modulus))
        names = [self.program_in(self.mode_for(one, modulus)) for one in known]
        facts = numbers.facts(modulus, self.engine, self._halves(modulus), self.exponent_blinding)
        found = transport.constants(self.programs, self.moduli(modulus), facts, names)
        if self.second is not None:
            q = modulus.q if isinstance(modulus, Key) and self._halves(modulus) else 0
            found += self.second.constants(q, facts)
        return found

    def request(self, job: Job) -> Beats:
        if not self._beside(job.mode):
            return super().request(job)
        assert self.second is not None and isinstance(job.modulus, Key)
        first = super().request(job)
        return self.second.request(first, job.modulus.q, self.values(job), self.lengths(job))

    def run(self, job: Job) -> Result:
        if not self._beside(job.mode):
            return super().run(job)
        image, values = self.image(job.mode), self.values(job)
        return operation.run(image, self.moduli(job.modulus), values, self.lengths(job),
                             turns(image))  # fmt: skip

    def cycles(self, mode: Mode) -> dict[str, Cycles]:
        found = super().cycles(mode)
        if self._beside(mode):
            image = self.image(mode)
            waited = sum(turns(image)) * image.machine.turn
            found["rest"] = Cycles.constant(found["rest"].maximum + waited)
        return found

    def _beside(self, mode: Mode) -> bool:
        """Whether both engines have a part in it."""
        return self.second is not None and self.program_in(mode) == self.programs.names[0]

    def forecast(self) -> Forecast:
        own = super().forecast()
        if self.second is None:
            return own
        other = forecast.of(self.second.programs.build)
        return Forecast(own.lut + other.lut, own.ff + other.ff, own.dsp + other.dsp,
                        own.ram_bits + other.ram_bits, own.mhz)  # fmt: skip

    def create(self) -> wiring.Component:
        if self.second is None:
            return super().create()
        from modmul.processors.rsa.hardware import SideBySide

        return SideBySide(self.programs.build, self.second.programs.build, TAKEN, signature(self))

    def values(self, job: Job) -> dict[str, int]:
        x = job.operands["x"]
        if job.mode.operation == PUBLIC:
            return numbers.public(x, job.operands["e"], self.passes(job.mode))
        halves, blind = self._halves(job.modulus), self.exponent_blinding
        found = numbers.private(job.modulus, x, self.engine, halves, blind)
        if self._beside(job.mode) and self.second is not None and isinstance(job.modulus, Key):
            found["yq"] = self.second.half(job.modulus.q, found, self.lengths(job))
        return found

    def lengths(self, job: Job) -> dict[str, int]:
        return {**dict.fromkeys(("d", "dp", "dq"), self.width), "e": self.passes(job.mode)}

    def said(self, mode: Mode, found: Sequence[int], status: int) -> dict[str, int]:
        """Results by name.  status: 0 where the result is right."""
        if status:
            return {"fault": True}
        high, low = found if len(found) > 1 else (0, found[0])
        return {"y": (high << self.width) + low}

    @classmethod
    def examples(cls) -> list[Rsa]:
        return [
            cls(multiplier=multipliers.find(name)(**of_multiplier), **own)
            for name, of_multiplier, own in EXAMPLES
        ]
