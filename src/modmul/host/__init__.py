"""What a host does around a processor: keys and messages in, signatures out, over any transport.

    core = Simulated(spec.with_key(path))  # or a driver of the same form
    signature = rsa.sign(core, n, message)  # the core computes x^d, and checks it
    core = Modelled(Spec.from_options({"architecture": "curve", "curve": "p256", ...}))
    signature = ecdsa.sign(core, curve, private, message)"""

from modmul.host.transport import Fault, Modelled, Simulated, Transport

__all__ = ["Fault", "Modelled", "Simulated", "Transport"]
