"""Explores a space of specifications: measures its points, here or on a cluster, and writes one
record for each."""
