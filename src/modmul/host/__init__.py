"""Software that uses a design: it makes signatures and agrees on keys with a processor, and asks a
multiplier behind registers for products, over any transport.

It is not constant-time: hashes, nonces and encodings of secrets are integers and strings of Python.
What it computes with `modmul.arithmetic` is public.

    core = Simulated(spec.with_key(path))  # or a driver of the same form
    signature = rsa.sign(core, n, message)  # the core computes x^d, and checks it
    core = OnRegisters(spec, Mapped("/dev/uio0"))  # in hardware, and so on
    core.ask("multiply", {"a": a, "b": b})["product"]  # where the spec is that of a multiplier
    core = Modelled(Spec.from_options({"architecture": "curve", "curve": "p256", ...}))
    signature = ecdsa.sign(core, curve, private, message, public=public)"""

from modmul.host.accesses import Accesses, Litex, Mapped, Refused, Socket, Verilated, served
from modmul.host.registers import Bank, OnRegisters
from modmul.host.transport import Fault, Modelled, Simulated, Transport

__all__ = [
    "Accesses",
    "Bank",
    "Fault",
    "Litex",
    "Mapped",
    "Modelled",
    "OnRegisters",
    "Refused",
    "Simulated",
    "Socket",
    "Transport",
    "Verilated",
    "served",
]
