"""Settings of kinds of clicks that cannot be are refused in one line."""

import pytest

from lab.errors import ConfigError
from tests.trainers.sessions import settings_of

REFUSED = [
    ("experiment=click_stream task=plain", "task=plain: it has no clicks; allowed: clicks, ordered_clicks"),
    ("experiment=click_stream model.targets=51", "model.targets=51: a stream has task.num_targets=50 of them"),
    ("experiment=click_stream model.width=30", "model.num_heads=4: must divide model.width=30"),
    ("experiment=click_stream model.width=12", "model.positions=rope: model.width / model.num_heads must be even"),
    ("experiment=click_stream model.ymin=0.5 model.ymax=0.1", "model.ymin=0.5: at most model.ymax=0.1"),
    ("experiment=click_stream model.ymax=2", "model.ymax=2"),
    ("kind=dti_cost sizes=[]", "sizes=[]: at least one"),
    ("kind=dti_cost sizes=[[10,10,3]]", "sizes: [10, 10, 3] is not [n, k, c, d], four whole numbers >= 1"),
    ("kind=dti_cost sizes=[[10,0,3,32]]", "sizes: [10, 0, 3, 32] is not"),
    ("kind=dti_cost sizes=[[10,10,1,32]]", "has 1 token in an interaction"),
    ("kind=dti_cost sizes=[[10,10,3,30]]", "model.num_heads=4 must divide it"),
    ("kind=dti_cost sizes=[[10,10,3,32],[10,10,3,32]]", "each once"),
    ("kind=dti_cost blocks=[]", "blocks=[]: at least one"),
    ("kind=dti_cost growth=[1,2,3]", "growth=[1, 2, 3]: four different numbers at least"),
    ("kind=dti_cost blocks=[0]", "blocks=[0]: must be >= 1"),
    ("kind=dti_cost hosts.auto=true", "hosts: "),
    ("kind=dti_reach schemes=[]", "schemes=[]: at least one"),
    ("kind=dti_reach layers=[1,1]", "layers=[1,1]: each once"),
    ("kind=dti_reach positions=[rope,rope]", "positions=[rope,rope]: each once"),
    ("kind=dti_reach num_targets=1", "num_targets=1: must be >= 2"),
    ("kind=dti_reach model.width=15", "model.num_heads=2: must divide model.width=15"),
    ("experiment=dti_language prompt.scheme=dti", "prompt.scheme=dti: a language model reads by naive, no_id, local"),
    ("experiment=dti_language prompt.labels=[a]", "prompt.labels: two words, of labels 0 and 1"),
    ("experiment=click_log data=diabetes", "data=diabetes: it is not for this kind of experiment; allowed: movielens"),
    ("experiment=click_log model.num_heads=3", "model.num_heads=3: must divide model.width=32"),
    ("experiment=click_log model.ymin=0.5 model.ymax=0.2", "model.ymin=0.5: at most model.ymax=0.2"),
    ("experiment=click_log model.num_context=0", "model.num_context=0: must be >= 1"),
    ("experiment=click_log population.chunk=1", "population.chunk: the seeds of a log train side by side"),
    ("experiment=tabular data=movielens", "data=movielens: it is not for this kind of exper"),
    ("experiment=plain data=click_csv", "data=click_csv: it is not for this kind of ex"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_what_cannot_be_is_one_line(words, message):
    first, *others = words.split()
    named = [first.replace("kind=", "name=")] if first.startswith("kind=") else []
    with pytest.raises(ConfigError) as error:
        settings_of(first, *named, *others)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
