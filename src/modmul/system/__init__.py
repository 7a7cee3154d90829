"""A design in a user's system: registers, buses, a driver in C, packages of other tools.

Everything follows from the contract of the design (streams, widths, secrecy), for multipliers and
processors alike; nothing is written by hand for one of them.
"""
