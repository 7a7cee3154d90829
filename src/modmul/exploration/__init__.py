"""Explores a space of specifications: measures its points, here or on a cluster, and writes one
record for each."""

from modmul.exploration.budget import Budget
from modmul.exploration.explore import explore
from modmul.exploration.outcome import Outcome
from modmul.exploration.record import Record
from modmul.exploration.space import Space, read_space
from modmul.exploration.store import read

__all__ = ["Budget", "Outcome", "Record", "Space", "explore", "read", "read_space"]
