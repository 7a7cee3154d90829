"""What a host does around a processor: keys and messages in, signatures out, over any transport.

    core = Simulated(spec.with_key(path))  # or a driver of the same form
    signature = rsa.sign(core, n, message)  # the core computes x^d, and checks it"""

from modmul.host.transport import Fault, Simulated, Transport

__all__ = ["Fault", "Simulated", "Transport"]
