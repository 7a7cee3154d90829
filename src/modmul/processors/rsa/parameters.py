"""The parameters of a processor for RSA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modmul.errors import SpecError
from modmul.parameters import parameter, parameters
from modmul.processors.contract import refusal
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.rsa import operations
from modmul.processors.rsa.powers import LADDER, WINDOW

_LEAST_BLINDING = 8  # bits, so that some of these numbers are coprime to all moduli
_LENGTHENING = ("primes", "modulus-blinding")  # the width depends on them and on the bits of keys
_LEAST_PRIME = 4  # bits that blinding has to leave for a prime


@dataclass(frozen=True, kw_only=True)
class Parameters(EngineProcessor):
    """The parameters of an RSA processor besides the multiplier."""

    method: str = parameter(
        WINDOW,
        "how powers with a secret exponent are computed: window: five bits at a time, and the "
        "whole table is read for each; ladder: bit by bit, with fewer registers",
        choices=(WINDOW, LADDER),
    )
    base_blinding: bool = parameter(
        False,
        "blind the base: modulo each prime, x is multiplied by r^e and the result by 1/r; both "
        "factors come from the stream random",
    )
    exponent_blinding: int = parameter(
        0,
        "bits of a random number r: r * (p - 1) is added to the exponent modulo each prime p; r "
        "comes from the stream random; 0: no blinding",
        minimum=0,
        maximum=1024,
    )
    modulus_blinding: int = parameter(
        0,
        "bits of a random odd number by which each modulus is multiplied when a key is loaded, so "
        "that primes have that many bits fewer than the multiplier; 0: no blinding, else at least "
        "8",
        minimum=0,
        maximum=1024,
    )
    primes: int = parameter(
        2, "how many primes a key has, if operations are done modulo its primes", choices=(2, 3, 4)
    )

    @classmethod
    def width_for_keys(cls, bits: int, given: Mapping[str, Any]) -> int:
        known = parameters(cls)
        chosen = {name: given.get(name, known[name].default) for name in _LENGTHENING}
        for name, value in chosen.items():
            known[name].check(value)
        width: int = -(-bits // chosen["primes"]) + chosen["modulus-blinding"]
        return width

    def check(self) -> None:
        """Raise SpecError for a multiplier that the engine cannot use, a second port, or numbers
        for blinding that are too long or too short."""
        if self.ports > 1:
            raise refusal("ports", self.ports, "1: a second multiplier has an engine of its own")
        super().check()
        operations.check_engine(self.engine)
        if self.exponent_blinding > self.engine.wide:
            raise refusal(
                "exponent-blinding",
                self.exponent_blinding,
                f"at most {self.engine.wide}, the bits of a register",
            )
        blind, most = self.modulus_blinding, self.width - _LEAST_PRIME
        if blind and not _LEAST_BLINDING <= blind <= most:
            raise refusal(
                "modulus-blinding",
                blind,
                f"0, or from {_LEAST_BLINDING} to {most}, so that something is left of the width",
            )
        if blind and self._exact:
            raise refusal(
                "modulus-blinding",
                blind,
                f"0: {self.multiplier.name} takes moduli of exactly {self.width} bits",
            )

    @property
    def _exact(self) -> bool:
        """Whether the multiplier takes no modulus that is a bit shorter than its width."""
        try:
            self.multiplier.check_modulus((1 << self.width - 1) - 1)
        except SpecError:
            return True
        return False

    @property
    def title(self) -> str:
        memory = "" if self.register_file == "block" else f"-{self.register_file}"
        base = "-two" * (self.units > 1) + "-blinded" * self.base_blinding
        exponent = f"-exponent-{self.exponent_blinding}" if self.exponent_blinding else ""
        modulus = f"-modulus-{self.modulus_blinding}" if self.modulus_blinding else ""
        primes = f"-{self.primes}-primes" if self.primes > 2 else ""
        return f"rsa-{self.method}{primes}{base}{exponent}{modulus}{memory}-{self.multiplier.title}"
