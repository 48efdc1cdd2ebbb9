"""Rows of docs/speed.md."""

import numpy as np

from tests.page_rows.cells import mean, read, row, short, with_error

PAGE = "speed.md"
SIZES = {
    "small": "width 64, 3 layers, 64 prompts of 40 tokens",
    "large": "width 256, 6 layers, 16 prompts of 80 tokens",
}
PROGRAMS = ("lab", "by_hand", "torch")


def decoders() -> list[str]:
    """Milliseconds of a decoder's step, the lab's over those of the two other programs, and its share of the peak."""
    lines = []
    for part, size in SIZES.items():
        times = {each: _rounds(part, each, "milliseconds_per_step") for each in PROGRAMS}
        ratios = [with_error(times["lab"] / times[each]) for each in PROGRAMS[1:]]
        share = float(np.median(_rounds(part, "lab", "share_of_flops")))
        lines.append(row(size, *(f"{np.median(each):.3g} ms" for each in times.values()), *ratios, short(share)))
    return lines


def beside() -> list[str]:
    """Steps a second of the lab's programs and of others, which took turns on one machine."""
    return [
        row(each["program"], each["size"], each["threads"], each["others"], each["lab"], mean(_ratio(each), 2))
        for each in read(".", "side_by_side")
    ]


def _ratio(each: dict[str, str]) -> np.ndarray:
    return np.array([float(each["others"]) / float(each["lab"])])


def _rounds(part: str, program: str, column: str) -> np.ndarray:
    rows = [each for each in read("decoder_speed", "steps") if (each["part"], each["program"]) == (part, program)]
    return np.array([float(each[column]) for each in sorted(rows, key=lambda each: int(each["round"]))])


TABLES = {"decoders": decoders}
