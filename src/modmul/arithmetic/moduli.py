"""Named moduli, and the notations a modulus may be given in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from modmul import inputs
from modmul.arithmetic.notation import (
    POLYNOMIAL,
    is_polynomial,
    read_polynomial,
    write_polynomial,
)
from modmul.errors import SpecError, quoted, suggestion

NOTATIONS = f"a name, 0x..., a decimal number, {POLYNOMIAL}, or @FILE that holds one of these"

Field = Literal["prime", "binary"]  # GF(p) and GF(2^m)


@dataclass(frozen=True)
class Modulus:
    """A modulus N: a number, or (field "binary") a polynomial over GF(2), bit i of `value` the
    coefficient of x^i.

    name: None if it was given by its digits or terms.  source: where a named modulus is defined."""

    name: str | None
    value: int
    source: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()
    field: Field = "prime"

    @property
    def bits(self) -> int:
        """Length of N in bits; of a polynomial of degree m, m + 1."""
        return self.value.bit_length()

    @property
    def notation(self) -> str:
        """N written out, hexadecimal or as the terms of a polynomial; `parse` reads both."""
        return hex(self.value) if self.field == "prime" else write_polynomial(self.value)

    def __str__(self) -> str:
        return self.name or self.notation


def _binary(
    name: str, exponents: tuple[int, ...], source: str, summary: str, aliases: tuple[str, ...]
) -> Modulus:
    """The modulus of the polynomial with the terms x^i for the `exponents`."""
    return Modulus(name, sum(1 << i for i in exponents), source, summary, aliases, "binary")


_FIPS = "FIPS 186-4, D.1.2"
_FIPS_BINARY = "FIPS 186-4, D.1.3"
_SEC2 = "SEC 2 version 2.0, 2.4.1"
_SM2 = "GB/T 32918.5-2017"
_BN254 = "EIP-196; BN curve of x = 4965661367192848881"
_BLS377 = "Zexe (IACR ePrint 2018/962); BLS12 curve of x = 0x8508c00000000001"
_BLS381 = "draft-irtf-cfrg-pairing-friendly-curves; BLS12 curve of x = -0xd201000000010000"

MODULI = (
    Modulus(
        "p192",
        2**192 - 2**64 - 1,
        _FIPS,
        "field of NIST P-192",
        ("p-192", "secp192r1", "prime192v1"),
    ),
    Modulus("p224", 2**224 - 2**96 + 1, _FIPS, "field of NIST P-224", ("p-224", "secp224r1")),
    Modulus(
        "p256",
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        _FIPS,
        "field of NIST P-256",
        ("p-256", "secp256r1", "prime256v1"),
    ),
    Modulus(
        "p384",
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        _FIPS,
        "field of NIST P-384",
        ("p-384", "secp384r1"),
    ),
    Modulus("p521", 2**521 - 1, _FIPS, "field of NIST P-521", ("p-521", "secp521r1", "2^521-1")),
    Modulus("secp256k1", 2**256 - 2**32 - 977, _SEC2, "field of secp256k1 (Bitcoin)", ("k256",)),
    Modulus(
        "brainpoolp160r1",
        0xE95E4A5F737059DC60DFC7AD95B3D8139515620F,
        "RFC 5639, 3.1",
        "field of brainpoolP160r1",
    ),
    Modulus(
        "brainpoolp192r1",
        0xC302F41D932A36CDA7A3463093D18DB78FCE476DE1A86297,
        "RFC 5639, 3.2",
        "field of brainpoolP192r1",
    ),
    Modulus(
        "brainpoolp224r1",
        0xD7C134AA264366862A18302575D1D787B09F075797DA89F57EC8C0FF,
        "RFC 5639, 3.3",
        "field of brainpoolP224r1",
    ),
    Modulus(
        "brainpoolp256r1",
        0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377,
        "RFC 5639, 3.4",
        "field of brainpoolP256r1",
    ),
    Modulus(
        "brainpoolp320r1",
        0xD35E472036BC4FB7E13C785ED201E065F98FCFA6F6F40DEF4F92B9EC7893EC28FCD412B1F1B32E27,
        "RFC 5639, 3.5",
        "field of brainpoolP320r1",
    ),
    Modulus(
        "brainpoolp384r1",
        0x8CB91E82A3386D280F5D6F7E50E641DF152F7109ED5456B412B1DA197FB71123ACD3A729901D1A71 << 64
        | 0x874700133107EC53,
        "RFC 5639, 3.6",
        "field of brainpoolP384r1",
    ),
    Modulus(
        "brainpoolp512r1",
        0xAADD9DB8DBE9C48B3FD4E6AE33C9FC07CB308DB3B3C9D20ED6639CCA703308717D4D9B009BC66842 << 192
        | 0xAECDA12AE6A380E62881FF2F2D82C68528AA6056583A48F3,
        "RFC 5639, 3.7",
        "field of brainpoolP512r1",
    ),
    Modulus("sm2", 2**256 - 2**224 - 2**96 + 2**64 - 1, _SM2, "field of the SM2 curve"),
    Modulus(
        "curve25519",
        2**255 - 19,
        "RFC 7748, 4.1",
        "field of Curve25519 and Ed25519",
        ("2^255-19", "ed25519", "x25519"),
    ),
    Modulus(
        "curve448",
        2**448 - 2**224 - 1,
        "RFC 7748, 4.2",
        "field of Curve448 and Ed448",
        ("2^448-2^224-1", "ed448", "x448"),
    ),
    Modulus(
        "bn254",
        0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47,
        _BN254,
        "base field of BN254 (alt_bn128)",
        ("bn254-base", "alt_bn128"),
    ),
    Modulus(
        "bn254-scalar",
        0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001,
        _BN254,
        "scalar field of BN254 (alt_bn128)",
        ("alt_bn128-scalar",),
    ),
    Modulus(
        "bls12-377",
        0x01AE3A4617C510EAC63B05C06CA1493B1A22D9F300F5138F1EF3622FBA094800170B5D4430000000 << 64
        | 0x8508C00000000001,
        _BLS377,
        "base field of BLS12-377",
        ("bls12-377-base",),
    ),
    Modulus(
        "bls12-377-scalar",
        0x12AB655E9A2CA55660B44D1E5C37B00159AA76FED00000010A11800000000001,
        _BLS377,
        "scalar field of BLS12-377",
    ),
    Modulus(
        "bls12-381",
        0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFF << 64
        | 0xB9FEFFFFFFFFAAAB,
        _BLS381,
        "base field of BLS12-381",
        ("bls12-381-base",),
    ),
    Modulus(
        "bls12-381-scalar",
        0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
        _BLS381,
        "scalar field of BLS12-381",
    ),
    Modulus(
        "m127",
        2**127 - 1,
        "Mersenne prime; HECC over it in gallin2019, 5",
        "2^127 - 1",
        ("2^127-1",),
    ),
    _binary(
        "b163",
        (163, 7, 6, 3, 0),
        _FIPS_BINARY,
        "field of NIST B-163 and K-163",
        ("b-163", "k163", "k-163", "sect163k1", "sect163r1", "sect163r2"),
    ),
    _binary(
        "b233",
        (233, 74, 0),
        _FIPS_BINARY,
        "field of NIST B-233 and K-233",
        ("b-233", "k233", "k-233", "sect233k1", "sect233r1"),
    ),
    _binary(
        "b283",
        (283, 12, 7, 5, 0),
        _FIPS_BINARY,
        "field of NIST B-283 and K-283",
        ("b-283", "k283", "k-283", "sect283k1", "sect283r1"),
    ),
    _binary(
        "b409",
        (409, 87, 0),
        _FIPS_BINARY,
        "field of NIST B-409 and K-409",
        ("b-409", "k409", "k-409", "sect409k1", "sect409r1"),
    ),
    _binary(
        "b571",
        (571, 10, 5, 2, 0),
        _FIPS_BINARY,
        "field of NIST B-571 and K-571",
        ("b-571", "k571", "k-571", "sect571k1", "sect571r1"),
    ),
    _binary(
        "ghash",
        (128, 7, 2, 1, 0),
        "NIST SP 800-38D, 6.3",
        "field of GHASH (AES-GCM)",
        ("gcm", "aes-gcm"),
    ),
)
NAMES = tuple(str(modulus.name) for modulus in MODULI)
_BY_NAME = {name: entry for entry in MODULI for name in (str(entry.name), *entry.aliases)}

# Digits that name a curve.  They are not read as a number, which would be another legal modulus.
_AMBIGUOUS = {"25519": "curve25519", "448": "curve448"}
_DECIMAL = re.compile(r"[0-9]+(_[0-9]+)*\Z")
_LONGEST = 1 << 16  # characters of a file with a modulus
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*\Z")


def find(name: str) -> Modulus:
    """The modulus of a name or alias, in upper or lower case.  Raises SpecError with the
    nearest names if there is none."""
    known = _BY_NAME.get(name.lower())
    if known is not None:
        return known
    hint = suggestion(name, _BY_NAME) or "; `modmul list` shows the names"
    raise SpecError(
        "modulus",
        name,
        NOTATIONS,
        f"modulus = {quoted(name)}: no such modulus{hint} (it must be {NOTATIONS})",
    )


def parse(text: str, folder: Path | None = None) -> Modulus:
    """The modulus that is written as a name, `0x...`, decimal digits, a polynomial such as
    `x^163+x^7+x^6+x^3+1`, or `@FILE` (white space in the file is ignored).

    `_` may separate digits.  `folder`: the folder of a relative FILE (default: the current one).  A
    number or polynomial that equals a named modulus gets its name.  Raises SpecError for anything
    else.  Whether an architecture takes the modulus is not checked here."""
    text = text.strip()
    if in_a_file(text):
        return parse(_read(text, folder), folder)
    if text in _AMBIGUOUS:
        name, number = _AMBIGUOUS[text], hex(int(text))
        raise SpecError(
            "modulus",
            text,
            NOTATIONS,
            f"modulus = {text}: write {name} for the field of {name}, {number} for the number",
        )
    if _HEXADECIMAL.match(text):
        return of(int(text, 16))
    if _DECIMAL.match(text):
        try:
            return of(int(text))
        except ValueError:  # Python's limit on decimal digits
            raise SpecError(
                "modulus",
                f"{text[:20]}...",
                "at most 4096 bits",
                f"modulus = {text[:20]}...: {len(text)} digits are more than 4096 bits",
            ) from None
    if is_polynomial(text):
        return of(read_polynomial(text), "binary")
    return find(text)


def in_a_file(text: str) -> bool:
    """Whether `parse` would read a file for this text."""
    return text.strip().startswith("@")


def of(value: int, field: Field = "prime") -> Modulus:
    """The modulus of that value in that field, with its name if it has one."""
    for modulus in MODULI:
        if (modulus.value, modulus.field) == (value, field):
            return modulus
    return Modulus(None, value, field=field)


def _read(text: str, folder: Path | None) -> str:
    path = (folder or Path()) / text[1:]
    try:
        read = inputs.read(path)
    except ValueError as error:
        raise SpecError(
            "modulus", text, NOTATIONS, f"modulus = {text}: cannot read {path}: {error}"
        ) from None
    content = "".join(read.split())
    if not content or in_a_file(content) or len(read) > _LONGEST:
        raise SpecError("modulus", text, NOTATIONS, f"modulus = {text}: {path} holds no modulus")
    return content
