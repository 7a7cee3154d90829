"""Measures what a design costs: synthesis, place and route, static timing, and figures of these."""
