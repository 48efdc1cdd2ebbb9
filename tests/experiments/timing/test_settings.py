"""Settings that do not fit an experiment on times are refused in one line."""

import pytest

from lab.errors import ConfigError
from tests.trainers.sessions import settings_of


@pytest.mark.parametrize(
    ("kind", "word", "message"),
    [
        ("decoder_speed", "model.num_heads=3", "model.num_heads=3: must divide model.width=64"),
        ("decoder_speed", "prompts=0", "prompts=0: must be >= 1"),
        ("decoder_speed", "hosts.auto=true", "hosts: times are measured on one device"),
        ("retrieval_cost", "documents=[]", "documents=[]: at least one"),
        ("retrieval_cost", "documents=[2,2]", "documents=[2,2]: each once"),
        ("retrieval_cost", "documents=[0,2]", "documents=[0, 2]: must be >= 1"),
        ("retrieval_cost", "rounds=0", "rounds=0: must be >= 1"),
        ("retrieval_cost", "seconds=0", "seconds=0.0: must be > 0"),
        ("speed", "model.layout=interleaved", "model.layout=interleaved: speed is measured on merged tokens"),
    ],
)
def test_what_does_not_fit_is_one_line(kind, word, message):
    with pytest.raises(ConfigError) as error:
        settings_of(f"kind={kind}", f"name={kind}", word)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
