"""The operations of a processor for RSA: their operands, and the moduli, keys and lengths that are
refused."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.arithmetic.keys import Key
from modmul.design import OperandRule
from modmul.errors import SpecError
from modmul.processors.engine.machine import Engine
from modmul.processors.engine.processor import refusal

PRIVATE, PUBLIC = "private", "public"
OPERANDS: Mapping[str, tuple[str, ...]] = {PRIVATE: ("x",), PUBLIC: ("x", "e")}
RESULTS: Mapping[str, tuple[str, ...]] = {PRIVATE: ("y", "fault"), PUBLIC: ("y",)}
USUAL = (65537).bit_length()  # bits of a public exponent
_SMALLEST = 3  # modulus


def rules(operation: str, modulus: int, longest: int) -> tuple[OperandRule, ...]:
    """What the operands of an operation may be.  longest: bits of a public exponent."""
    base = OperandRule("x", "what is raised to the power", int(modulus))
    if operation == PRIVATE:
        return (base,)
    return base, OperandRule("e", "the public exponent", None, sized=True, longest=longest)


def check_modulus(modulus: int, width: int, longest: int) -> None:
    """SpecError for a modulus of more than `width` bits which is no key, for a key whose primes
    have more, and one with a public exponent of more than `longest`."""
    bits = modulus.bit_length()
    if modulus < _SMALLEST or not modulus & 1:
        raise refusal("modulus", hex(modulus), f"odd, from {_SMALLEST}")
    if not isinstance(modulus, Key):
        if bits > width:
            why = f"of at most {width} bits without its factors, and has {bits}"
            raise refusal("modulus", hex(modulus), why)
        return
    if bits > width and modulus.longest > width:
        raise SpecError("key", bits, f"of primes of at most {width} bits",
                        f"key: one of its primes has {modulus.longest} bits: must be at most "
                        f"{width}, the multiplier's width")  # fmt: skip
    own = modulus.e.bit_length()
    if own > longest:
        allowed = f"at most {longest}"
        raise SpecError("key", own, allowed, f"key: its e has {own} bits: must be {allowed}")


def check_engine(engine: Engine) -> None:
    """SpecError for a multiplier that does not take an operand as long as the engine's registers,
    which x and what another modulus left are."""
    if engine.limits.a_below < engine.limits.register:
        name, bits = engine.multiplier.title, (engine.limits.a_below - 1).bit_length()
        allowed = f"one whose operand a may have {engine.wide} bits, as registers have"
        raise refusal("multiplier", name, f"{allowed}; here it has {bits}")


def length(operation: str, modulus: int, asked: int | None, longest: int) -> int:
    """Bits of the public exponent: those that are asked for, the key's, or the usual ones.
    SpecError for others than the key's, where these decide."""
    own = modulus.e.bit_length() if isinstance(modulus, Key) else USUAL
    if asked is None:
        return min(own, longest)
    if operation == PRIVATE and asked != own:
        raise refusal("bits", asked, f"{own}: the key decides it")
    if not 0 <= asked <= longest:
        raise refusal("bits", asked, f"from 0 to {longest}")
    return asked
