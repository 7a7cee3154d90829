"""Computes the constants of a modulus, as an architecture loads them, and writes them as text, C
header or Verilog parameters."""

from __future__ import annotations

import msgspec

from modmul.arithmetic import binary
from modmul.arithmetic.moduli import Field
from modmul.arithmetic.montgomery import Montgomery
from modmul.arithmetic.notation import write_polynomial
from modmul.arithmetic.words import ceil_div, to_words
from modmul.errors import SpecError
from modmul.export.names import identifier
from modmul.multipliers.facts import abbreviated
from modmul.processors import Processor
from modmul.spec import Spec

_LIMB = 32
_A_ROW = 6  # the most limbs in one line


class LoadedWord(msgspec.Struct, frozen=True):
    """One beat of the modulus stream.  value: hexadecimal."""

    name: str
    value: str


class ExportedConstants(msgspec.Struct, frozen=True):
    """The constants of a modulus; integers are hexadecimal.

    width: of the architecture, in bits.  word: the bits of a digit.  p_prime: -N^-1 mod 2^word.  N
    is the modulus, which the keys call p, as scripts expect.
    field: prime, or binary, where all are polynomials over GF(2): bit i is the coefficient of x^i,
    N of degree bits - 1, R a power of x and p_prime N^-1 mod x^word.
    montgomery_factor: R; 1 for an interleaved multiplier, which has no p_prime.
    words: the beats, of `beat` bits, of the modulus stream in loading order; empty if the modulus
    is not loaded.
    prefix: of all names in C and Verilog, of the design and the modulus or curve."""

    architecture: str
    width: int
    modulus: str
    name: str | None
    bits: int
    word: int
    montgomery_factor: str
    p_prime: str | None
    r_mod_p: str
    r2_mod_p: str
    beat: int
    words: list[LoadedWord]
    field: Field
    prefix: str


def constants(spec: Spec) -> ExportedConstants:
    """The constants of the modulus of `spec` for its architecture.

    Raises SpecError if there is no modulus, or no Montgomery factor (plain products)."""
    if spec.design.modulus_at == "none":
        message = f"architecture = {spec.design.name}: a plain product has no modulus"
        raise SpecError("architecture", spec.design.name, "one that reduces modulo N", message)
    if spec.modulus is None or spec.setting is None:
        raise SpecError("modulus", None, "a modulus", "modulus: none given; constants need one")
    setting = spec.setting
    multiplier, factor = setting.multiplier, setting.montgomery_factor
    assert factor is not None
    value, field, word = setting.modulus, setting.field, multiplier.radix.bit_length() - 1
    one_in_domain, square, inverse = _of_domain(value, factor, word, field)
    beat, loaded = multiplier.modulus_beat, list(setting.constants)
    if isinstance(spec.design, Processor):
        beat = _processor_beat(spec.design)
        loaded = spec.design.constants(value, field, spec.curve)
    return ExportedConstants(
        spec.design.name,
        multiplier.width,
        hex(value),
        spec.modulus.name,
        spec.modulus.bits,
        word,
        hex(factor),
        inverse,
        hex(one_in_domain),
        hex(square),
        beat,
        [LoadedWord(beat.name, hex(beat.value)) for beat in loaded],
        field,
        _prefix(spec),
    )


def _prefix(spec: Spec) -> str:
    assert spec.modulus is not None
    digits = f"{'N' if spec.field == 'prime' else 'poly'}_{abbreviated(spec.modulus.value)}"
    loaded = spec.curve.name if spec.curve else spec.modulus.name or digits
    return identifier(f"{spec.title}_{loaded}").upper()


def _processor_beat(processor: Processor) -> int:
    """The bits of a beat of the processor's stream `modulus`."""
    stream = next(stream for stream in processor.streams if stream.name == "modulus")
    return stream.members["data"][0]


def _of_domain(modulus: int, factor: int, word: int, field: Field) -> tuple[int, int, str | None]:
    """R and R^2 modulo N, and -N^-1 modulo a word in hexadecimal, None if R = 1."""
    domain: Montgomery | binary.BinaryMontgomery
    if factor == 1:
        one_in_domain = 1 % modulus
        return one_in_domain, one_in_domain, None
    if field == "binary":
        domain = binary.BinaryMontgomery(modulus, factor)
    else:
        domain = Montgomery(modulus, factor)
    return domain.one, domain.square, hex(domain.negative_inverse(word))


def as_text(table: ExportedConstants) -> str:
    """The constants as text: a line `name = value` for each, then the words."""
    lines = [f"for {table.architecture} of width {table.width}, which decides R and the beats:"]
    lines += [f"{name:9} = {value}" for name, value in _rows(table)]
    if table.words:
        lines.append(f"loaded in this order, {table.beat} bits each:")
        wide = max(12, *(len(word.name) for word in table.words))
        lines += [f"  {i:3}  {word.name:{wide}} {word.value}" for i, word in enumerate(table.words)]
    return "\n".join(lines) + "\n"


def _rows(table: ExportedConstants) -> list[tuple[str, str]]:
    rows = [("N", f"{table.modulus}{f' ({table.name})' if table.name else ''}, {table.bits} bits")]
    if table.field == "binary":
        rows.append(("", write_polynomial(int(table.modulus, 16))))
    if table.montgomery_factor == "0x1":
        return [*rows, ("R", "1: results are a*b mod N itself, not a*b/R mod N")]
    rows.append(("R", _power(table)))
    if table.p_prime is not None:
        sign, base = ("", "x") if table.field == "binary" else ("-", "2")
        rows.append(("N'", f"{table.p_prime} = {sign}N^-1 mod {base}^{table.word}"))
    return [*rows, ("R mod N", table.r_mod_p), ("R^2 mod N", table.r2_mod_p)]


def as_c(table: ExportedConstants) -> str:
    """A C header: integers as 32-bit limbs, least significant first; words in loading order.

    The arrays are `static const`, so that any number of C and C++ sources can include it."""
    prefix = table.prefix
    size, power = ceil_div(max(table.bits, 1), _LIMB), _power(table)
    lines = [
        f"/* {_title(table)}",
        *(f" * {note}" for note in _notes(table)),
        " * Integers are arrays of 32-bit limbs, least significant first. */",
        f"#ifndef {prefix}_H",
        f"#define {prefix}_H",
        "",
        "#include <stdint.h>",
        "",
        *_defined(prefix, "BITS", table.bits, "bits of the modulus"),
        *_defined(prefix, "LIMBS", size, "limbs of a number below it"),
    ]
    if table.p_prime is not None:
        lines += _defined(prefix, "WORD", table.word, "bits of a digit")
    for name, value, meaning in (
        ("MODULUS", table.modulus, "the modulus N"),
        ("R_MOD_P", table.r_mod_p, f"R mod N, where R = {power}"),
        ("R2_MOD_P", table.r2_mod_p, "R^2 mod N"),
    ):
        lines += _array(f"{prefix}_{name}", value, size, meaning)
    if table.p_prime is not None:
        base, sign = ("x", "") if table.field == "binary" else ("2", "-")
        meaning = f"N' = {sign}N^-1 mod {base}^{table.word}"
        lines += _array(f"{prefix}_P_PRIME", table.p_prime, ceil_div(table.word, _LIMB), meaning)
    if table.words:
        lines += _beats(prefix, table)
    return "\n".join([*lines, "", f"#endif /* {prefix}_H */", ""])


def _defined(prefix: str, name: str, value: int, meaning: str) -> list[str]:
    return [f"/* {meaning} */", f"#define {prefix}_{name} {value}"]


def _array(name: str, value: str, size: int, meaning: str) -> list[str]:
    rows = _limbs(value, size)
    return [
        "",
        f"/* {meaning} */",
        f"static const uint32_t {name}[{size}] = {{",
        *(f"    {row}" for row in rows),
        "};",
    ]


def _beats(prefix: str, table: ExportedConstants) -> list[str]:
    limbs, count = ceil_div(table.beat, _LIMB), len(table.words)
    lines = [
        "",
        f"/* the beats of the modulus stream, {table.beat} bits each, in loading order */",
        *_defined(prefix, "WORD_COUNT", count, "how many"),
        *_defined(prefix, "WORD_BITS", table.beat, "bits of each"),
        *_defined(prefix, "WORD_LIMBS", limbs, "limbs of each"),
        f"static const uint32_t {prefix}_WORDS[{count}][{limbs}] = {{",
    ]
    for word in table.words:
        first, *others = _limbs(word.value, limbs)
        rows = [f"    {{{first}", *(f"     {row}" for row in others)]
        lines += [f"    /* {word.name} */", *rows[:-1], f"{rows[-1]}}},"]
    return [*lines, "};"]


def as_verilog(table: ExportedConstants) -> str:
    """Verilog-2001 local parameters, to be included inside a module.

    *_WORDS holds the beats of the modulus stream, the first one loaded in the lowest bits."""
    prefix = table.prefix
    lines = [
        f"// {_title(table)}",
        *(f"// {note}" for note in _notes(table)),
        f"localparam {prefix}_BITS = {table.bits};",
    ]
    numbers = [
        ("MODULUS", table.modulus, table.bits),
        ("R_MOD_P", table.r_mod_p, table.bits),
        ("R2_MOD_P", table.r2_mod_p, table.bits),
    ]
    if table.p_prime is not None:
        lines.append(f"localparam {prefix}_WORD = {table.word};")
        numbers.append(("P_PRIME", table.p_prime, table.word))
    lines += [_localparam(f"{prefix}_{name}", value, bits) for name, value, bits in numbers]
    if table.words:
        count = len(table.words)
        packed = sum(int(word.value, 16) << table.beat * i for i, word in enumerate(table.words))
        lines += [
            f"// beats of the modulus stream, the first in the lowest {table.beat} bits:",
            *(f"//   {i} {word.name} {word.value}" for i, word in enumerate(table.words)),
            f"localparam {prefix}_WORD_COUNT = {count};",
            f"localparam {prefix}_WORD_BITS = {table.beat};",
            _localparam(f"{prefix}_WORDS", hex(packed), table.beat * count),
        ]
    return "\n".join(lines) + "\n"


def _title(table: ExportedConstants) -> str:
    name = table.name or f"a modulus of {table.bits} bits"
    core = f"{table.architecture}, width {table.width}"
    return f"Constants of {name} for the architecture {core}, R = {_power(table)}"


def _notes(table: ExportedConstants) -> list[str]:
    """What bits mean, if they are no number."""
    if table.field == "prime":
        return []
    return ["polynomials over GF(2), bit i is the coefficient of x^i"]


def _power(table: ExportedConstants) -> str:
    exponent = int(table.montgomery_factor, 16).bit_length() - 1
    base = "x" if table.field == "binary" else "2"
    return f"{base}^{exponent}" if exponent else "1"


def _limbs(value: str, count: int) -> list[str]:
    """Rows of limbs, each but the last with a comma at its end."""
    limbs = [f"0x{limb:08x}u" for limb in to_words(int(value, 16), _LIMB, count)]
    starts = range(0, count, _A_ROW)
    rows = [", ".join(limbs[start : start + _A_ROW]) for start in starts]
    return [*(f"{row}," for row in rows[:-1]), rows[-1]]


def _localparam(name: str, value: str, bits: int) -> str:
    return f"localparam [{bits - 1}:0] {name} = {bits}'h{int(value, 16):x};"
