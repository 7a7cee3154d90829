"""Reusable circuits of which multipliers and processors are built: memories, delay lines,
adders, rows of full adders, the elastic adapter."""
