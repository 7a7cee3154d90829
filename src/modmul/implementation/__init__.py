"""Measures the area and the clock of a design: synthesis, place and route, static timing, and
the figures that follow from these."""
