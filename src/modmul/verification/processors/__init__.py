"""Processors in a simulator, against the oracle of their operations and the declared cycles."""

from modmul.verification.processors.exchange import Batch, Drive, Request, design_of
from modmul.verification.processors.judge import Judged, check, judge

__all__ = ["Batch", "Drive", "Judged", "Request", "check", "design_of", "judge"]
