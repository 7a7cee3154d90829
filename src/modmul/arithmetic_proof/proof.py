"""The claim of a Montgomery multiplier, r R = a b (mod N) and r < c N, and its proof on the emitted
text of the bare core."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from modmul.arithmetic_proof import certificate, signals
from modmul.arithmetic_proof.checker import Refused
from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.facts import Facts
from modmul.arithmetic_proof.induction import Induction
from modmul.arithmetic_proof.operations import Operations
from modmul.arithmetic_proof.products import Given, ProductRun
from modmul.arithmetic_proof.signals import Signal
from modmul.arithmetic_proof.variables import NoProof, Polynomial, add, constant
from modmul.multipliers.contract import Multiplier
from modmul.timing_proof.netlist import flat_text, parse
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import EMITTED, Step

_DEPTH = 20_000  # calls one within another: a fact needs another, to the first iteration
_TOO_DEEP = "too many facts need one another"
PROOF = Step("arithmetic-proof", EMITTED)
CORE = "the bare core as written, with hard blocks by their simulation models; "
FIRST = (
    "the first product after a reset and a modulus, while nothing else is offered; inputs that say "
    "nothing are arbitrary"
)
EVERY = (
    "every product after a reset, whatever products and moduli came before, beside and behind it "
    "under the contract of bare cores; inputs that say nothing are arbitrary"
)
ALONE = (
    "every product beside which no other is in flight, whatever products and moduli came before; "
    "inputs that say nothing are arbitrary"
)


class ArithmeticProof(msgspec.Struct, frozen=True, kw_only=True):
    """claim, scope: in words.  proved: all of the claim.  missing: what is not, "" if nothing.
    not_every: why the scope is not every product, "" if it is.  variables: of the proof of the
    first product.  seconds: the proof took, without the emission of the text.  certificate: of the
    first product, the text that `modmul check-proof` checks, and which the checker accepted; "" if
    nothing is proved."""

    title: str
    claim: str
    scope: str
    proved: bool
    missing: str
    not_every: str
    variables: int
    seconds: float
    certificate: str = ""

    @property
    def sentence(self) -> str:
        """The result with its scope, or what is missing."""
        if not self.proved:
            return f"not proved: {self.missing}"
        return f"Proved: {self.claim}. Scope: {self.scope}"

    @property
    def delivered(self) -> dict[str, Any]:
        """The members for delivered files: without what differs from run to run."""
        names = ("claim", "scope", "proved", "missing", "not_every", "sentence")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def not_proved(cls, delivered: Mapping[str, Any]) -> ArithmeticProof:
        """What delivered files say of a proof that was not found."""
        members = {name: delivered[name] for name in ("claim", "scope", "missing", "not_every")}
        return cls(title="", proved=False, variables=0, seconds=0.0, **members)


def prove_files(
    multiplier: Multiplier, files: Mapping[str, str], top: str, seconds: int, cache: Cache
) -> ArithmeticProof:
    """Prove the claim of a multiplier, or find it in the cache.

    files: the texts with its module `top`, by the names of their files.  seconds: to give up after;
    where an earlier search of at least as many found no proof there is none.  What cannot be proved
    is no exception: see `missing`.  Raises ToolFailed, ToolMissing."""
    digests = certificate.digests(files)
    own = {"architecture": multiplier.name} | multiplier.options
    key = {"multiplier": own, "top": top, "files": digests}
    record = cache.get(PROOF, key)
    if record is not None:
        found = msgspec.convert(record["proof"], ArithmeticProof)
        if not found.not_every or seconds <= record["limit"]:
            return found
    proof = prove_text(multiplier, files, top, seconds)
    cache.put(PROOF, key, {"limit": seconds, "proof": msgspec.to_builtins(proof)})
    return proof


def claim_of(multiplier: Multiplier) -> str:
    return (
        f"for every odd N with 3 <= N < 2^{multiplier.width} and all operands below "
        f"{multiplier.operand_limit.formula}: r * R = a * b (mod N), "
        f"and r < {multiplier.result_limit.formula}"
    )


def prove_text(
    multiplier: Multiplier, files: Mapping[str, str], top: str, seconds: float
) -> ArithmeticProof:
    """Prove the claim of a multiplier on Verilog texts, by the names of their files, whose module
    `top` is its bare core."""
    netlist = flat_text("\n".join(files.values()), top)
    return prove_netlist(multiplier, netlist, top, certificate.digests(files), seconds)


def prove_netlist(
    multiplier: Multiplier, text: str, top: str, files: Mapping[str, str], seconds: float
) -> ArithmeticProof:
    """Prove it on a flat netlist, the text that `netlist.flat_text` gives.  The checker has to
    accept the certificate, which names the digests of the files."""
    began, variables, written = time.monotonic(), 0, ""
    scope, not_every = FIRST, "the first product is not proved"
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        circuit = Circuit(parse(text, top))
        run = ProductRun(multiplier, circuit, began + seconds)
        missing = _missing(run)
        variables = len(run.given.variables)
        if not missing:
            written = certificate.write(run, circuit, top, files)
            certificate.check(written, text)
        if not missing:
            not_every = _missing_of_every(multiplier, circuit, began + seconds)
            if not not_every:
                scope = ALONE if multiplier.slots > 1 else EVERY
    except NoProof as error:
        missing = str(error)
    except Refused as error:
        missing, written = f"the certificate is refused: {error}", ""
    except RecursionError:
        missing, written = _TOO_DEEP, ""
    finally:
        sys.setrecursionlimit(before)
    return ArithmeticProof(
        title=multiplier.title,
        claim=claim_of(multiplier),
        scope=CORE + scope,
        proved=not missing,
        missing=missing,
        not_every=not_every,
        variables=variables,
        seconds=time.monotonic() - began,
        certificate=written,
    )


def _missing_of_every(multiplier: Multiplier, circuit: Circuit, ends: float) -> str:
    """The first part of the claim that is not proved of products in general, "" if all is."""
    try:
        induction = Induction(multiplier, circuit, ends)
        for begins in induction.products:
            result = induction.result(begins)
            missing = _missing_of(multiplier, induction.given, induction.facts, result)
            if missing:
                return missing
    except NoProof as error:
        return str(error)
    except RecursionError:
        return _TOO_DEEP
    return ""


def _missing(run: ProductRun) -> str:
    """The first part of the claim that is not proved of the first product, "" if all is."""
    declared = run.multiplier.latency().maximum
    if run.latency != declared:
        return f"the latency is {run.latency}, declared is {declared}"
    return _missing_of(run.multiplier, run.given, run.facts, run.result)


def _missing_of(multiplier: Multiplier, given: Given, facts: Facts, result: Signal) -> str:
    """The first part of the claim that is not proved of a result, "" if all is."""
    factor, bound = multiplier.montgomery_factor, multiplier.result_limit
    if factor is None:
        return "only Montgomery products are covered so far"
    if not signals.is_known(result):
        return "the result depends on other products"
    value, _, _ = Operations(given.variables, facts).number(result)
    a, b = (word.polynomial for word in given.operands)
    product = facts.variables.product(a, b)
    claimed = add({m: factor * value[m] for m in value}, product, -1)
    for place, modulus in enumerate(given.modulus.samples):
        if given.variables.sample(claimed, place) % modulus:
            return "r * R = a * b (mod N): a sample differs"
    # 2 and N have no common factor: so if multiples of N are all that is left, r R = a b (mod N).
    rest, steps = facts.modulo(claimed)
    zero = facts.is_zero(rest)
    if zero is None:
        return f"r * R = a * b (mod N): {len(rest)} terms are left"
    facts.variables.history.append(("identity", steps, zero))
    times = min(bound.factor, bound.if_one or bound.factor)  # the sharper one, for every N
    if bound.unit == "2^m":
        return "bounds by the length of N are not covered so far"
    [[modulus_number]] = given.modulus.polynomial
    top: Polynomial = {(modulus_number,): times} if bound.unit == "N" else constant(times)
    proof = facts.at_most(add(dict(value), top, -1), -1)
    if proof is None:
        return f"r < {bound.formula}"
    facts.variables.history.append(("bound", proof))
    return ""
