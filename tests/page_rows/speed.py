"""Rows of docs/speed.md."""

import numpy as np

from tests.page_rows.cells import read, row, short, with_error

PAGE = "speed.md"
SIZES = {
    "small": "width 64, 3 layers, 64 prompts of 40 tokens",
    "large": "width 256, 6 layers, 16 prompts of 80 tokens",
    "source": "width 128, 8 layers, 256 prompts of 32 tokens",
}
MEDIANS = {"milliseconds": 3, "share_of_flops": 2, "share_of_bytes": 2}  # {column: digits}
PROGRAMS = ("lab", "by_hand", "torch")
OTHERS = ("by hand", "PyTorch")  # as the page calls the second and the third


def decoders() -> list[str]:
    """Milliseconds of a decoder's step, the lab's over those of the two other programs, and its share of the peak.

    With the head of the table, which says whose times are divided by whose.
    """
    ratios = [f"the lab / {name}" for name in OTHERS]
    lines = [row("size", "the lab", *OTHERS, *ratios, "share of the fastest product"), "|---" * 7 + "|"]
    for part, size in SIZES.items():
        times = {each: _rounds(part, each, "milliseconds") for each in PROGRAMS}
        ratios = [with_error(times["lab"] / times[each]) for each in PROGRAMS[1:]]
        share = float(np.median(_rounds(part, "lab", "share_of_flops")))
        lines.append(row(size, *(f"{np.median(each):.3g} ms" for each in times.values()), *ratios, short(share)))
    return lines


def beside() -> list[str]:
    """Times of a training step in other code and here, in turns."""
    return [
        row(
            *(each[name] for name in ("beside", "what", "threads", "unit", "other", "lab")),
            f"{float(each['ratio']):.2f}",
        )
        for each in read(".", "side_by_side")
    ]


def accelerator() -> list[str]:
    """Medians over rounds of the time of a step, and of its shares of the device's two rates."""
    steps = read("accelerator", "steps")
    lines = []
    for program in dict.fromkeys(each["program"] for each in steps):
        rows = [each for each in steps if each["program"] == program]
        cells = [f"{np.median([float(each[name]) for each in rows]):.{digits}g}" for name, digits in MEDIANS.items()]
        models = f"{rows[0]['models']} models, " if rows[0]["models"] != "1" else ""
        size = f"{rows[0]['prompts']} prompts of {rows[0]['tokens']} tokens, width {rows[0]['width']}"
        lines.append(row(rows[0]["device"], f"{program.replace('_', ' ')}: {models}{size}", *cells))
    return lines


def _rounds(part: str, program: str, column: str) -> np.ndarray:
    rows = [each for each in read("decoder_speed", "steps") if (each["part"], each["program"]) == (part, program)]
    return np.array([float(each[column]) for each in sorted(rows, key=lambda each: int(each["round"]))])


def h200() -> list[str]:
    """The fastest product of matrices and the errors of an H200, by precision."""
    numbers = {(each["what"], each["precision"]): float(each["value"]) for each in read(".", "h200")}
    names = {
        "highest rate of products of matrices": "fastest product of matrices, 1e12 operations a second",
        "construction: relative error": "error of the construction beside float64, relative",
        "construction: error / unit of rounding": "in units of rounding",
        "gradient: relative error": "error of a decoder's gradient (six layers, width 256)",
        "gradient: error / unit of rounding": "in units of rounding",
        "gradient, two layers: relative error": "error of the gradient, two layers, on another H200",
        "gradient, two layers: error / unit of rounding": "in units of rounding",
    }
    precisions = ("float32", "tensorfloat32", "bfloat16")
    return [row(name, *(_digits(numbers[what, each]) for each in precisions)) for what, name in names.items()]


def _digits(number: float) -> str:
    """Return a number with three digits from 10 on, and with two below."""
    return f"{number:.{3 if number >= 10 else 2}g}"


TABLES = {
    "decoders": decoders,
    "beside": beside,
    "accelerator": accelerator,
    "h200": h200,
}
