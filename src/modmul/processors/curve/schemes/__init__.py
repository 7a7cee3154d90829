"""Signatures and key agreement: schemes that a processor for curves has operations for, one file
each."""

from __future__ import annotations

from collections.abc import Mapping

from modmul.processors.curve.schemes import agreement, ecdsa, eddsa, sm2
from modmul.processors.curve.schemes.task import SchemeTask, Sources
from modmul.processors.curve.schemes.texts import facts

TASKS: Mapping[str, SchemeTask] = {
    task.name: task
    for task in (
        ecdsa.SIGN,
        ecdsa.VERIFY,
        agreement.ECDH,
        sm2.SIGN,
        sm2.VERIFY,
        sm2.EXCHANGE,
        sm2.ENCRYPT,
        sm2.DECRYPT,
        eddsa.SIGN,
        eddsa.VERIFY,
    )
}
SCHEMES = tuple(dict.fromkeys(task.scheme for task in TASKS.values()))

__all__ = ["SCHEMES", "TASKS", "SchemeTask", "Sources", "facts"]
