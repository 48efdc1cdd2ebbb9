"""The columns of a table of programs that are timed in turns: a row per round and program, in the order of measurement.

A round plays the role of a seed. What is compared is the ratio of two times of one round, since other work on the
machine slows both alike.
"""

from analysis.results.column import Column

STEPS = "steps"  # the table
ROUND, PROGRAM, DEVICE = "round", "program", "device"
milliseconds = Column(STEPS, "milliseconds", "time of a step", "Time of a step, by the clock.", PROGRAM, "ms", ROUND)
cpu_milliseconds = Column(STEPS, "cpu_milliseconds", "processor time of a step",
                          "Time of a step, of all threads of the process.", PROGRAM, "ms", ROUND)  # fmt: skip
share_of_flops = Column(STEPS, "share_of_flops", "share of the fastest product",
                        "Operations per second over those of the fastest product of matrices.", PROGRAM,
                        repeat=ROUND)  # fmt: skip
share_of_bytes = Column(STEPS, "share_of_bytes", "share of bandwidth",
                        "Bytes per second over the highest rate that was measured.", PROGRAM, repeat=ROUND)  # fmt: skip
