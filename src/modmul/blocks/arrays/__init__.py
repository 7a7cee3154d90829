"""Pieces of array multipliers: rows of unit cells as parts, adders that finish a product."""
