"""Settings of `prompt_shifts`: trained decoders on prompts of other distributions than in training. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.training import EvalEpisodes, StartsFromTrained, Trained
from tasks.settings import MODERATE, key


@dataclass
class PromptShifts(StartsFromTrained):
    """Decoders that learned a class of functions are compared with least squares on shifted prompts."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "scales", "noise", "eval.episodes"]
    TINY: ClassVar = ["experiment=prompt_shifts",
                      *smoke.trained([*smoke.FUNCTIONS, "grid=[]", "figure=functions", "baselines.names=[]"]),
                      "eval.episodes=30", "scales=[0.5,2]"]  # fmt: skip

    # The run of `functions_linear` without noise is one point of its grid.
    model: Trained = field(default_factory=lambda: Trained("functions_linear", ["grid=[]", "figure=''"]))
    eval: EvalEpisodes = field(default_factory=lambda: EvalEpisodes(5000))
    scales: list[float] = key(
        [0.333, 0.5, 2.0, 3.0], "Factors of the inputs x, and of the function's values.", once=True, **MODERATE
    )
    noise: float = key(1.0, "Standard deviation of noise on the answers of the context.", at_least=0, at_most=1e4)
