"""What a Transformer of the comparison looks like: its tokens, its shape, and whether it has circuits to compare."""

from lab.config.choices import Features, Injection, LayerKind
from lab.config.comparison import Comparison
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.interleaved import Shape as InterleavedShape
from lab.learners.linear_transformer import Shape
from tasks.task import Task


def require(settings: Comparison, task: Task) -> None:
    """
    Raises:
        ConfigError: documents, and tokens that have no place for them.
    """
    if settings.model.interleaved and settings.model.injection is not Injection.none and task.document_width:
        raise ConfigError(
            f"model.layout=interleaved: the documents of task={settings.task.name} do not enter such a Transformer; "
            "choose model.injection=none to leave them out"
        )


def layout_of(settings: Comparison, task: Task) -> TokenLayout:
    """Of the tokens that attention sees."""
    inputs = TokenLayout.of(task)
    if settings.model.features is Features.inputs:
        return inputs
    return TokenLayout((("x", settings.model.num_features or inputs.feature_dim),), task.answer_dim)


def shape_of(settings: Comparison, task: Task) -> Shape:
    model = settings.model
    return Shape(
        layout=layout_of(settings, task),
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        document_width=0 if model.injection is Injection.none else task.document_width,
        injection=model.injection,
        clip=model.clip,
    )


def interleaved_shape_of(settings: Comparison, task: Task) -> InterleavedShape:
    model = settings.model
    return InterleavedShape(
        inputs=TokenLayout.of(task),
        num_context=task.num_context,
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        first=model.first,
    )


def depth_of(settings: Comparison) -> int:
    """Layers of the Transformer, with the one that merges interleaved tokens."""
    return settings.model.num_layers + settings.model.interleaved


def has_circuits(settings: Comparison) -> bool:
    """Whether the trained and the constructed Transformer can be compared and interpolated matrix by matrix."""
    model = settings.model
    return model.num_heads == 1 and model.layer is LayerKind.linear and not model.interleaved


def why_no_circuits(settings: Comparison) -> str:
    """Where `has_circuits` is false, in words."""
    if settings.model.interleaved:
        return "there are many ways to merge tokens, and between two there is none"
    if settings.model.num_heads > 1:
        return "the heads of two models do not correspond"
    return f"a layer with model.layer={settings.model.layer.name} is no product of two matrices"
