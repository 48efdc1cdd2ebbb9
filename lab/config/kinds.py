"""Every kind of experiment by name, with its settings, and the schemas that a key can choose among. One row each.

A file of the user's own adds a row by `register_kind`, a task by `tasks.catalogue.register`.
"""

import typing

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from lab.config.base import Base
from lab.config.click_log import ClickLogRun
from lab.config.comparison import Comparison
from lab.config.decoder import Decoder
from lab.config.decoder_speed import DecoderSpeed
from lab.config.deep_thinking import DeepThinking
from lab.config.demonstration_choice import DemonstrationChoice
from lab.config.demonstrations import Demonstrations
from lab.config.dti import Dti
from lab.config.dti_cost import DtiCost
from lab.config.dti_reach import DtiReach
from lab.config.dual_form import DualForm
from lab.config.functions import Functions
from lab.config.icl_vs_finetune import IclVsFinetune
from lab.config.momentum_attention import MomentumAttention
from lab.config.more_steps import MoreSteps
from lab.config.prompt_shifts import PromptShifts
from lab.config.prompt_text import PromptText
from lab.config.recommend import LogRecommendation, Recommendation
from lab.config.retrieval_cost import RetrievalCost
from lab.config.softmax_dual import SoftmaxDual
from lab.config.speed import Speed
from lab.config.task_diversity import TaskDiversity
from lab.errors import ConfigError
from tasks import settings as tasks
from tasks.datasets import settings as datasets
from tasks.logs import settings as logs

KINDS: dict[str, type[Base]] = {
    "comparison": Comparison,
    "speed": Speed,
    "dual_form": DualForm,
    "retrieval_cost": RetrievalCost,
    "decoder_speed": DecoderSpeed,
    "softmax_dual": SoftmaxDual,
    "decoder": Decoder,
    "icl_vs_finetune": IclVsFinetune,
    "deep_thinking": DeepThinking,
    "demonstration_choice": DemonstrationChoice,
    "momentum_attention": MomentumAttention,
    "demonstrations": Demonstrations,
    "recommend": Recommendation,
    "recommend_log": LogRecommendation,
    "prompt_text": PromptText,
    "dti": Dti,
    "click_log": ClickLogRun,
    "functions": Functions,
    "task_diversity": TaskDiversity,
    "prompt_shifts": PromptShifts,
    "more_steps": MoreSteps,
    "dti_cost": DtiCost,
    "dti_reach": DtiReach,
}
SCHEMAS: dict[str, dict[str, type]] = {"task": tasks.SCHEMAS, "data": datasets.SCHEMAS | logs.LOGS | logs.ITEM_LOGS}


def kind_of(settings: Base | type[Base]) -> str:
    """The name of a kind, of its settings or their type."""
    schema = settings if isinstance(settings, type) else type(settings)
    return next(name for name, kind in KINDS.items() if kind is schema)


def choices(kind: type[Base], key: str) -> dict[str, type]:
    """{name: schema} of what the settings of a kind can have for a key that chooses among schemas: for `data` tables,
    or logs of interactions."""
    annotation = typing.get_type_hints(kind)[key]
    allowed = typing.get_args(annotation) or (annotation,)
    return {name: schema for name, schema in SCHEMAS[key].items() if issubclass(schema, allowed)}


def register_kind(name: str, schema: type[Base]) -> None:
    """Give a kind of your own its place on the command line.

    Raises:
        ConfigError: the settings are no dataclass of this form, or the name is taken, or that of their class, which
            is part of a run's hash.
    """
    if not (issubclass(schema, Base) and "__dataclass_params__" in vars(schema)):
        raise ConfigError(f"kind {name}: its settings must be a dataclass that inherits from lab.config.base.Base")
    if KINDS.get(name, schema) is not schema:
        raise ConfigError(f"kind {name}: the name is taken; taken are {', '.join(KINDS)}")
    if schema.__name__ in {kind.__name__ for other, kind in KINDS.items() if other != name}:
        raise ConfigError(f"kind {name}: there are settings called {schema.__name__} already; rename the class")
    KINDS[name] = schema


def tell_hydra() -> None:
    """Hydra learns of every kind and schema, as they are now; of those that it has not been told of before."""
    ConfigStore.__deepcopy__ = _itself
    store = ConfigStore.instance()
    for name, kind in KINDS.items():
        if _is_told(store, "schema", name, kind):
            continue
        chosen = [{f"/{key}": default} for key, default in kind.GROUPS.items()]
        node = {"defaults": [f"/schema/{name}", *chosen, "_self_"]}
        store.store(group="kind", name=name, node=node, package="_global_")
        store.store(group="schema", name=name, node=kind, package="_global_")
    for group, schemas in SCHEMAS.items():
        for name, schema in schemas.items():
            if not _is_told(store, group, name, schema):
                store.store(group=group, name=name, node=schema)


def _itself(store: ConfigStore, memo: dict) -> ConfigStore:
    """Hydra copies the one store, with every schema in it, whenever it composes a configuration, and never writes into
    the copy: what it loads from a store is a copy already. Without that, composing takes half of the time."""
    return store


def _is_told(store: ConfigStore, group: str, name: str, schema: type) -> bool:
    """Whether Hydra has this very schema by this name: making a node of it takes milliseconds."""
    stored = store.repo.get(group, {}).get(f"{name}.yaml")
    return stored is not None and OmegaConf.get_type(stored.node) is schema
