"""The headline numbers of `softmax_dual` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "error.{map}.shortest": Word(
        "error, {map} features, shortest", "Median error of attention with the most {map} features, shortest queries."
    ),
    "error.{map}.longest": Word(
        "error, {map} features, longest", "Median error of attention with the most {map} features, longest queries."
    ),
    "end.kernel": Word("end of the kernel's paths", "Largest error after the last demonstration, in kernel form."),
    "rises.kernel": Word("steps that rise", "Share of demonstrations that make the error larger, in kernel form."),
    "accuracy.exact": Word("accuracy, exact attention", "Accuracy of the trained decoder with exact attention."),
    "accuracy.{map}": Word(
        "accuracy, {map} features", "Accuracy of the trained decoder with the fewest {map} features in every attention."
    ),
}
