"""Processors in a simulator, against the oracle of their operations and the declared cycles."""

from modmul.verification.processors.exchange import Batch, Request, StreamProfile, design_of
from modmul.verification.processors.judge import Judged, check, judge

__all__ = ["Batch", "Judged", "Request", "StreamProfile", "check", "design_of", "judge"]
