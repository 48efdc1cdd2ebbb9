"""`language_recommend`: candidates ranked by a language model, beside recommenders that are fitted to the log."""

from collections.abc import Sequence
from typing import Any

from experiments.recommendation.language_recommend.arms import LanguageRanking
from experiments.recommendation.language_recommend.settings import LanguageRecommendation
from experiments.recommendation.language_recommend.written import WrittenRanking
from trainers.language.opened import check_model
from trainers.record import Record


def check(settings: LanguageRecommendation) -> None:
    """Refuse a model that cannot be read (ConfigError)."""
    check_model(settings, "language_model")


def run(records: Sequence[Record[Any]]) -> None:
    """Measure the language model of every record. Raises as `Study.run`."""
    for record in records:
        (WrittenRanking if record.settings.written.rounds else LanguageRanking)(record).run()
