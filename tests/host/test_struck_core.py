"""A core with one flipped bit in its store of constants makes wrong signatures, which it then finds
valid: none of them is given out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.points import Affine
from modmul.export import hdl
from modmul.host import Fault, ecdsa
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import faults
from modmul.verification.faults.sites import STREAM, struck
from modmul.verification.simulation.runs import exchange_of
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import (
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

PRIVATE = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721  # RFC 6979, A.2.5
MESSAGE = b"sample"
WORDS = range(0, 512, 16)  # of the store, some; 160: a 1 modulo p in Montgomery's domain


class StruckCore:
    """A transport to a simulated core that is struck by one fault after a reset.  Each operation
    runs again all that were asked for since then."""

    def __init__(self, spec: Spec, session: StreamSession, fault: faults.Fault):
        self.spec, self.session, self.fault = spec, session, fault
        self.asked: list[Any] = []
        self.reloads: set[int] = set()  # operations before which the curve is loaded anew

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        of = subject(self.spec, operation)
        self.asked.append((of, of.read(dict(operands))))
        longest = max(request.declared[1] for _, request in self.asked)
        counts = [of.reply_beats(request) for of, request in self.asked]
        inputs: dict[str, list[Offer]] = {}
        for place, (of, request) in enumerate(self.asked):
            load = {} if place and place not in self.reloads else of.load(request)
            exchange = exchange_of(load, of.request(request), sum(counts), longest)
            loaded = len(inputs.get("modulus", ()))
            done = {"after": "result", "beats": sum(counts[:place])} if place else {}
            for name, offers in exchange.inputs.items():
                wait = done
                if load and name != "modulus":  # after the modulus of this operation
                    wait = {"after": "modulus", "beats": loaded + len(load["modulus"])}
                first = [replace(offer, **wait) for offer in offers[:1]]
                inputs.setdefault(name, []).extend([*first, *offers[1:]])
        exchange = replace(exchange, inputs=inputs, limit=4 * longest)
        outcome = self.session.strike(0, exchange, STREAM, self.fault.cycle, self.fault.beat)
        beats = outcome.beats["result"]
        if len(beats) < sum(counts):
            raise Fault(f"{operation}: no result came")
        reply = of.reply(request, beats[-counts[-1] :])
        assert all(isinstance(value, int) for value in reply.values())
        return cast(Mapping[str, int], reply)


@pytest.fixture(scope="module")
def core() -> Iterator[Callable[[int], StruckCore]]:
    """Makes a core for P-256 in which a bit of this word of its constants is struck."""
    options = {"architecture": "curve", "multiplier": "fpmm", "curve": "p256"}
    spec = Spec.from_options({**options, "forms": "weierstrass", "schemes": "ecdsa"})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    (store,) = (place for place in sites.of("memory") if "constants" in place.name)
    with compile_streams([design], Cache()).start() as session:

        def struck_core(word: int) -> StruckCore:
            site = store.base + word % (store.words or 1) * store.width + 5
            return StruckCore(spec, session, faults.Fault("flip", 0, site, 1, 2000, 1))

        yield struck_core


CURVE = curves.find("p256")
PUBLIC = points.multiply(CURVE, PRIVATE, Affine(CURVE.x, CURVE.y))
NUMBER = int.from_bytes(hashlib.sha256(MESSAGE).digest(), "big")


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_flipped_constant_gives_no_wrong_signature(core: Callable[[int], StruckCore]) -> None:
    """With a right signature of the same message, the private key would follow from a wrong one."""
    wrong = 0
    for word in WORDS:
        try:
            signature = ecdsa.sign(
                core(word), CURVE, PRIVATE, MESSAGE, encoding=ecdsa.RAW, public=PUBLIC, noise=b""
            )
        except Fault:
            wrong += 1
            continue
        r, s = (int.from_bytes(signature[place : place + 32], "big") for place in (0, 32))
        assert PUBLIC is not None and signatures.is_ecdsa(CURVE, NUMBER, r, s, PUBLIC), word
    assert wrong > 0


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_core_loaded_anew_finds_its_wrong_signature(core: Callable[[int], StruckCore]) -> None:
    """As the driver in C asks it."""
    nonce = next(ecdsa.nonces(CURVE, PRIVATE, hashlib.sha256(MESSAGE).digest(), "sha256", b""))
    assert PUBLIC is not None
    for word in WORDS[2::4]:
        struck_core = core(word)
        signed = {"digest": NUMBER, "private": PRIVATE, "nonce": nonce}
        answers = struck_core.ask("ecdsa-sign", signed)
        if "r" in answers:
            pair = {name: answers[name] for name in "rs"}
            struck_core.reloads = {1}
            asked = {"digest": NUMBER, **pair, **PUBLIC._asdict()}
            valid = struck_core.ask("ecdsa-verify", asked)["valid"]
            assert valid == signatures.is_ecdsa(CURVE, NUMBER, *pair.values(), PUBLIC), word
