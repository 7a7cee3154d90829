"""Verifies processors in a simulator, against the oracle of their operations and the declared
cycles."""

from modmul.verification.processors.exchange import Batch, StreamProfile, StreamRequest, design_of
from modmul.verification.processors.judge import Judged, check, judge

__all__ = ["Batch", "Judged", "StreamProfile", "StreamRequest", "check", "design_of", "judge"]
