"""What a sweep's words stand for."""

import re
from typing import Any

import pytest

from lab.config import compose, points
from lab.config.experiments import experiments, groups
from lab.config.identity import config_hash
from lab.config.multirun import commands
from lab.config.points import point, programs
from lab.errors import ConfigError, DataError


def of(*words) -> list[Any]:
    return point(list(words)).points


def test_a_grid_is_a_product():
    result = of("experiment=rag_dot", 'grid=["task.num_documents=2,5","task.sigma=0.1,0.2"]')
    assert [each.place for each in result] == [
        {"task.num_documents": k, "task.sigma": s} for k in ("2", "5") for s in ("0.1", "0.2")
    ]
    assert result[1].name == "num_documents=2, sigma=0.2"
    assert (result[1].settings.task.num_documents, result[1].settings.task.sigma) == (2, 0.2)


def test_a_point_is_the_run_that_it_is_alone():
    words = ["experiment=rag_dot", "seed=3", "task.num_documents=2"]
    alone = compose.compose(words)
    (one, _) = of("experiment=rag_dot", "seed=3", 'grid=["task.num_documents=2,5"]')
    assert config_hash(one.settings) == config_hash(alone)
    assert compose.compose(one.words) == one.settings


def test_parts_and_grid_multiply_and_words_win_over_both():
    every = of("experiment=fig2")
    assert len(every) == 2 * 4 + 2 * 4, "two retrievers, two more values of sigma"
    assert every[0].name == "rag_linear, num_documents=2"
    assert {each.settings.task.name for each in every} == {"rag_linear", "rag_dot"}
    fewer = of("experiment=fig2", "task.num_documents=3", "train.batch_size=7")
    assert [each.name for each in fewer] == ["rag_linear", "rag_dot", "sigma, sigma=0.2", "sigma, sigma=0.3"]
    assert all(each.settings.task.num_documents == 3 and each.settings.train.batch_size == 7 for each in fewer)


def test_points_that_differ_in_numbers_are_one_program():
    grid = 'grid=["task.sigma=0.1,0.2","train.learning_rate=0.001,0.01","seed=0,1","model.num_layers=1,2"]'
    result = programs(of("experiment=rag_dot", grid))
    assert [len(program) for program in result] == [8, 8]
    for program in result:
        assert len({each.settings.model.num_layers for each in program}) == 1
    assert [len(program) for program in programs(of("experiment=rag_dot", 'grid=["train.steps=10,20"]'))] == [1, 1]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("seed=range(0,10000000000)", "at most 10,000 points"),
        ("seed=range(10000000000,0,-1)", "at most 10,000 points"),
        ("train.learning_rate=range(0,1,1e-300)", "of whole numbers"),
        ("train.learning_rate=range(0,inf)", "of whole numbers"),
        ("train.learning_rate=range(nan,1)", "of whole numbers"),
        (f"seed=range(0,{10**400})", "too large a range"),
        ("seed=range(0,3,0)", "a step of 0"),
        ("train.learning_rate=range(0,3,0.0)", "of whole numbers"),
        ("seed=range(3,0)", "a range of 0 values"),
        ("seed=" + ",".join(map(str, range(10_001))), "at most 10,000"),
    ],
)
def test_a_sweep_has_a_bounded_number_of_points(word, expected):
    """Before they are made: a list of 10^10 values would fill the machine."""
    for refused in (
        lambda: commands(["-m", "experiment=plain", word]) and of(*commands(["-m", "experiment=plain", word])[0]),
        lambda: of("experiment=plain", f'grid=["{word}"]'),
        lambda: of("experiment=plain", f'+parts.one=["{word}"]'),
    ):
        with pytest.raises(ConfigError, match=expected) as error:
            refused()
        assert len(str(error.value)) < 300


def test_the_product_of_a_grid_and_sweeps_of_sweeps_are_bounded(monkeypatch):
    with pytest.raises(ConfigError, match="at most 10,000"):
        of("experiment=plain", 'grid=["seed=range(0,101)","train.steps=range(1,101)"]')
    monkeypatch.setattr(points, "MOST_VALUES", 10)
    sweep = """'experiment=plain','grid=["seed=range(0,6)"]'"""
    with pytest.raises(ConfigError, match="at most 10;"):
        of("experiment=plain", f"+parts.a=[{sweep}]", f"+parts.b=[{sweep}]")


def test_a_word_of_the_sweep_is_none_of_its_points():
    for word in ("++grid=['seed=1,2']", "+parts.a=['seed=1,2']"):
        assert [each.settings.seed for each in of("experiment=plain", word)] == [1, 2]


FIG2 = 'grid=["task.num_documents=2,5,10,25","seed=0,1"]'


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("experiment=plain seed=1", ["experiment=plain seed=1"]),
        ("-m experiment=plain seed=1,2 train.steps=3",
         ['experiment=plain train.steps=3 grid=["seed=1,2"] figure=sweep']),
        ("-m experiment=fig2 task.num_documents=3,4", ['experiment=fig2 grid=["task.num_documents=3,4"]']),
        ("-m experiment=fig2 seed=0,1", [f"experiment=fig2 {FIG2} figure=sweep"]),
        ("-m experiment=fig1,fig2 seed=3", ["seed=3 experiment=fig1", "seed=3 experiment=fig2"]),
        ("-m experiment=plain train.learning_rate=1e-3,.5 seed=+1,02",
         ['experiment=plain grid=["train.learning_rate=0.001,0.5","seed=1,2"] figure=sweep']),
        ("-m experiment=plain tracker=none,wandb name=1e3,2",
         ['experiment=plain grid=["tracker=none,wandb","name=1e3,2"] figure=sweep']),
    ],
)  # fmt: skip
def test_a_multirun_is_a_grid(words, expected):
    """Of each experiment, over its own grid; it has one name however its numbers are spelt, and texts are as typed."""
    assert [" ".join(line) for line in commands(words.split())] == expected


def test_a_launcher_gets_a_job_for_each_program():
    job, gather = commands(["-m", "experiment=plain", "model.num_layers=1,2", "seed=0,1", "launcher=joblib"])
    assert job[0] == "-m"
    assert {"launcher=joblib", "sweep.stage=train", "sweep.program=0,1"} <= set(job)
    assert gather[-1] == "sweep.stage=gather"
    assert not any(word.startswith("launcher") for word in gather)


def test_a_part_may_list_values_and_share_a_run_with_another():
    result = of("experiment=speed")
    assert [each.place["part"] for each in result[:4]] == ["layers", "layers", "layers", "batch"]
    assert result[1].settings.model.num_layers == 2
    centre = [each.name for each in result if config_hash(each.settings) == config_hash(result[0].settings)]
    assert centre == ["layers, num_layers=1", "batch, batch_size=512", "context, num_context=10", "width, input_dim=10",
                      "population, seeds=1"]  # fmt: skip


def test_parts_may_be_experiments_that_are_sweeps():
    """Words of the command line win over a part's, and go where there is such a key."""
    without = [f"~parts.fig{number}" for number in (2, 3, 5)]
    paper: Any = point(["experiment=rag_gd", "size=quick", "train.steps=7", "data.dir=somewhere", *without])
    assert [each.name for each in paper.points] == ["fig1", "fig4", "fig6"]
    assert len(paper.runs) == 3 + 8 + 8
    assert all(each.settings.train.steps == 7 for each in paper.runs)
    tables = {each.settings.name for each in paper.runs if each.settings.data is not None}
    assert tables == {"fig4", "fig6"}
    assert all(each.settings.data.dir == "somewhere" for each in paper.runs if each.settings.data is not None)
    assert config_hash(paper.points[0].settings) == config_hash(compose.compose(["experiment=fig1", "train.steps=7"]))


def test_a_word_that_fixes_a_key_of_the_grid_leaves_its_column():
    result = of("experiment=fig2", "task.num_documents=3")
    assert [each.place for each in result[:2]] == [
        {"part": part, "task.num_documents": "3"} for part in ("rag_linear", "rag_dot")
    ]


SOURCES = groups()["Sources"]
SIZED = [name for name in experiments() if {*compose.compose([f"experiment={name}"]).other_sizes} - {"tiny"}]


@pytest.mark.parametrize("name", SIZED)
def test_every_size_is_allowed_and_is_another_run(name):
    usual = point([f"experiment={name}"])
    for size in {*usual.settings.other_sizes} - {"tiny"}:
        sized = point([f"experiment={name}", f"size={size}"])
        names = [{config_hash(run.settings) for run in one.runs} for one in (usual, sized)]
        if size == "quick":  # of a source: parts are left out, and some take no longer than seconds as they are
            assert config_hash(usual.settings) != config_hash(sized.settings)
            assert 0 < len(names[1] - names[0]) <= len(names[0])
            continue
        assert len(names[0]) == len(names[1])
        assert not names[0] & names[1]


def test_a_size_is_words_over_which_those_of_parts_and_of_the_command_line_win():
    words = ["experiment=functions_linear", "size=source"]
    assert {(each.settings.task.input_dim, each.settings.task.noise) for each in of(*words)} == {(20, 0.0), (20, 1.0)}
    own = of(*words, "task.input_dim=7", "train.steps=9")
    assert {(each.settings.task.input_dim, each.settings.model.num_layers) for each in own} == {(7, 12)}
    plain = ["experiment=plain", "+other_sizes.small=['train.steps=5']"]
    small: Any = compose.compose([*plain, "size=small"])
    assert small.train.steps == 5
    assert config_hash(compose.compose(plain)) == config_hash(compose.compose(["experiment=plain"]))


@pytest.mark.parametrize("name", ["fig3", "fig5"])
def test_a_figure_is_drawn_in_small(name):
    """Of two numbers of documents and both depths; its claims ask for the least and the largest of these numbers."""
    counts = [
        [run.settings.task.num_documents for run in of(f"experiment={name}", *size)] for size in ([], ["size=quick"])
    ]
    assert len(counts[1]) == 4 < len(counts[0])
    assert {*counts[1]} == {min(counts[0]), max(counts[0])}
    assert len(of(f"experiment={name}", "size=tiny")) == 4


@pytest.mark.parametrize("name", sorted({*experiments()} - {*SOURCES}))
def test_every_experiment_has_a_tiny_size(name):
    """Those of kinds run in `tests.experiments.test_every_kind`."""
    words = [f"experiment={name}"]
    try:
        usual = point(words)
    except (ConfigError, DataError):
        pytest.skip("it needs a file of the user's")
    assert 0 < len(point([*words, "size=tiny"]).runs) <= len(usual.runs)
    assert config_hash(compose.compose([*words, "size=tiny"])) != config_hash(compose.compose(words))


OF_THE_LINE = "of the whole command line, not of a point"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["experiment=plain", "size=source"], "size=source: allowed: tiny$"),
        (["experiment=functions_tree", "size=large"], "size=large: allowed: tiny, source"),
        (["experiment=raventos23", "size=tiny"], "size=tiny: allowed: quick"),
        (["experiment=plain", 'grid=["task.scale=1,1.0"]'], "one and the same"),
        (["experiment=plain", "grid=['seed=1']"], "lists no values"),
        (["experiment=plain", "grid=[model.num_layers=1,2]"], re.escape("'grid=[\"model.num_layers=1,2\"]'")),
        *(
            (["experiment=plain", f"+parts.a=['{key}=x']"], OF_THE_LINE)
            for key in ("run.dir", "++run.dir", "hosts.auto", "sweep.stage")
        ),
    ],
)
def test_sizes_and_points_that_are_refused(words, message):
    with pytest.raises(ConfigError, match=message):
        point(words)


@pytest.mark.parametrize("words", [["~seed=1,2"], ["launcher=nosuch"], ["launcher.n_jobs=2", "seed=1,2"], ["seed.=1"]])
def test_what_a_multirun_does_not_take(words):
    with pytest.raises(ConfigError):
        commands(["-m", "experiment=plain", *words])
