"""The engine in hardware, equal to the golden machine beat by beat.

A word counts as issued in the cycle in which its fields are in the registers of the stage
`issue` (sequencer.py).  From there everything happens after fixed numbers of cycles, which
`Machine` declares:

    t       register numbers and beat are at the addresses of the memories
    t + 1   the memories give their words
    t + 2   operands are at the pins of multiplier and adder
    t + 7   the first beat of a sum is written; of a product, when it comes"""
