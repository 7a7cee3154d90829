"""Pieces of array multipliers: rows of unit cells as parts, and the adders that finish a product."""
