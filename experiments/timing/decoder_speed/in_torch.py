"""The same decoder made of PyTorch's own `torch.nn.TransformerEncoder`: layer norms in front, GELU, a causal mask.

PyTorch is no dependency of the lab: the decoder is timed where it is installed (`pip install torch`).
"""

import importlib
import importlib.util
from collections.abc import Callable

from experiments.timing.decoder_speed.settings import DecoderSpeed


def installed() -> bool:
    """Return whether PyTorch is installed."""
    return importlib.util.find_spec("torch") is not None


def program(settings: DecoderSpeed) -> Callable[[int], float]:
    """Return a function steps -> the loss of the last of so many steps of Adam, each of which draws its prompts."""
    torch = importlib.import_module("torch")  # no import statement, as it may not be installed
    torch.manual_seed(settings.seed)
    size, count = settings.model, 2 * settings.examples
    block = torch.nn.TransformerEncoderLayer(
        size.width,
        size.num_heads,
        size.mlp_width,
        dropout=0.0,
        activation=lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        batch_first=True,
        norm_first=True,
    )
    norm = torch.nn.LayerNorm(size.width)
    parts = torch.nn.ModuleDict(
        {
            "embed": torch.nn.Linear(settings.input_dim + 1, size.width),
            "positions": torch.nn.Embedding(count, size.width),
            "layers": torch.nn.TransformerEncoder(block, size.num_layers, norm, enable_nested_tensor=False),
            "answer": torch.nn.Linear(size.width, 1),
        }
    )
    method = torch.optim.Adam(parts.parameters(), lr=1e-3)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(count)
    places = torch.arange(count)

    def step() -> float:
        x = torch.randn(settings.prompts, settings.examples, settings.input_dim)
        y = x @ torch.randn(settings.prompts, settings.input_dim, 1)
        pairs = [torch.nn.functional.pad(x, (0, 1)), torch.nn.functional.pad(y, (settings.input_dim, 0))]
        tokens = torch.stack(pairs, dim=2).flatten(1, 2)
        states = parts["layers"](parts["embed"](tokens) + parts["positions"](places), mask=mask, is_causal=True)
        loss = 0.5 * (parts["answer"](states[:, ::2]) - y).square().mean()
        method.zero_grad()
        loss.backward()
        method.step()
        return loss.item()

    def steps(count: int) -> float:
        for _ in range(count - 1):
            step()
        return step()

    return steps
