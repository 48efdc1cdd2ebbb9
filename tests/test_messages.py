"""What is wrong with a command is said in one line, which names the key and what is allowed."""

import re

import pytest

from tests.command_line import ROOT, lab, lab_here

LONG = 300 * "x"
# Values that a key does not allow, and words of a wrong form: tests/test_bad_words.py has some of each kind.
WRONG = {
    "unknown experiment": (["experiment=rag_dt"], ["experiment=rag_dt", "rag_dot", "plain"]),
    "no experiment": (["seed=1"], ["experiment"]),
    "unknown name": (["experiment=fig1", "parts={x:[]}"], ["parts.x", "+parts.x="]),
    "a key of another section": (
        ["experiment=plain", "heads=2"],
        ["did you mean model.num_heads?"],
    ),
    "an abbreviation": (["experiment=plain", "lr=0.1"], ["lr: no such key; did you mean train.learning_rate"]),
    "several unknown keys": (
        ["-m", "experiment=plain", "layers=1,2", "steps=5"],
        ["steps: no such key", "layers: no such key; did you mean model.num_layers?"],
    ),
    "unknown key": (["experiment=rag_dot", "task.sgma=1"], ["task.sgma", "did you mean sigma", "num_documents"]),
    "added key": (["experiment=rag_dot", "+typo=1"], ["typo", "seed"]),
    "a key of another task": (["experiment=plain", "task.sigma=1"], ["task.sigma", "scale"]),
    "another task's key": (
        ["experiment=plain", "num_documents=2"],
        ["num_documents: no such key; others have it: task=rag_linear task.num_documents=VALUE, task=rag_dot "],
    ),
    "another kind's key": (["experiment=dual_form", "train.steps=3"], ["train: no such key", "cases, "]),
    "another kind's choice": (
        ["experiment=dual_form", "task=plain"],
        ["task: ", "no such key", "cases, ", "input_dim"],
    ),
    "unknown kind": (
        ["experiment=plain", "kind=nosuch"],
        ["kind=nosuch", "allowed: accelerator, attention_ladder, click_log, comparison", "softmax_dual, speed"],
    ),
    "no topics": (["experiment=dual_form", "topics=[]"], ["topics=[]: at least one"]),
    "a topic twice": (["experiment=dual_form", "topics=[linear,linear]"], ["topics=[linear,linear]", "each once"]),
    "too small for float32": (
        ["experiment=plain", "train.init_scale=1e-20"],
        ["allowed are sizes from 1e-18 to 1e+18"],
    ),
    "too small": (["experiment=plain", "task.scale=1e-20"], ["task.scale=1e-20", ">= 0.0001 and <= 10000"]),
    "too large for float32": (
        ["experiment=plain", "baselines.init_std=1e300"],
        ["allowed are 0 and sizes from 1e-18 to 1e+18"],
    ),
    "task's name": (["experiment=plain", "task.name=rag_dot"], ["task.name", "task=NAME"]),
    "unknown figure": (["experiment=plain", "figure=nosuch"], ["figure=nosuch", "points", "fig1", "training"]),
    "a figure of several points": (["experiment=plain", "figure=fig1"], ["figure=fig1", "several points", "grid"]),
    "speed of a table": (["experiment=speed", "~parts", "task=tabular"], ["task", "table", "speed"]),
    "speed of other layers": (["experiment=speed", "~parts", "model.layer=softmax"], ["model.layer=softmax", "linear"]),
    "speed of several processes": (["experiment=speed", "hosts.auto=true"], ["hosts", "one device"]),
    "task of an experiment with parts": (["experiment=fig1", "task=rag_dot"], ["task", "rag_linear"]),
    "no values": (["experiment=plain", "grid=['seed=1']"], ["grid", "seed=1", "KEY=VALUE,VALUE"]),
    "null for a name": (["experiment=null"], ["experiment", "null", "experiment=NAME"]),
    "a pattern of names": (["-m", "experiment=glob(*)"], ["experiment=glob(*): no such experiment", "rag_dot"]),
    "the same run twice": (["-m", "experiment=plain", "seed=1,1"], ["grid", "seed=1"]),
    "unknown key to sweep": (["-m", "experiment=plain", "sed=1,2"], ["sed", "did you mean seed"]),
    "value out of bounds in a sweep": (["-m", "experiment=plain", "seed=1,-1"], ["seed=-1", ">= 0"]),
    "shift out of bounds": (["experiment=plain", "shift.alpha=[1,-1]"], ["shift.alpha", ">= 0.0001"]),
    "unknown launcher": (["-m", "experiment=plain", "seed=1,2", "launcher=nosuch"], ["launcher=nosuch"]),
    "a name that is too long": (["experiment=plain", f"name={LONG}"], ["name=xx", "300 characters", "at most 255"]),
    "a folder with such a name": (["experiment=plain", f"run.dir=a/{LONG}/b"], ["run.dir=a/xx", "more than 255"]),
    "a path that is too long": (["experiment=plain", f"run.dir={20 * ('/' + LONG[:250])}"], ["/xx", "longer than"]),
    "a model with such a name": (["experiment=language_dual", f"lm.path={LONG}", "text.path=x"], ["no such folder"]),
    "a file with such a name": (["experiment=plain", f"use={LONG}.py"], ["xxx", "longer than"]),
    "a run with such a name": ([f"report={LONG}"], ["xxx", "longer than"]),
    "a path for a name": (["experiment=plain", "name=../x"], ["name=../x", "letters"]),
    "part out of bounds": (["experiment=fig1", "parts.rag_dot=['seed=-1']"], ["seed=-1", ">= 0"]),
    "a part of an unknown experiment": (
        [
            "experiment=rag_gd",
            "size=quick",
            *(f"~parts.fig{number}" for number in range(1, 7)),
            "+parts.x=['experiment=fig7']",
        ],
        ["experiment=fig7", "fig1"],
    ),
    "a line search of hours": (  # of ten inputs and ten examples it would take 20 minutes, and is not refused
        ["experiment=plain", "baselines.line_search_episodes=2000000000", "task.input_dim=100", "task.num_context=200"],
        ["baselines.line_search_episodes=2000000000", "no sign for", "lower it"],
    ),
    "too many problems of many steps": (
        ["experiment=dual_form", "steps=2000000000"],
        ["steps=2000000000", "memory", "lower it"],
    ),
    "a context whose speed cannot be measured": (
        ["experiment=speed", "~parts", "task.num_context=2000000000"],
        ["task.num_context=2000000000", "memory", "lower it"],
    ),
    "too wide": (["experiment=plain", "task.input_dim=100000"], ["task.input_dim=100000", "memory", "lower it"]),
    "a context too long": (
        ["experiment=plain", "task.num_context=2000000000"],
        ["task.num_context=2000000000", "lower it"],
    ),
    "a shift too long": (
        ["experiment=plain", "shift.num_context=[5,2000000000]"],
        ["shift.num_context=2000000000", "memory", "lower it"],
    ),
    "seeds beyond the last": (
        ["experiment=plain", "seed=2147483647", "seeds=2"],
        ["seed=2147483647", "seeds=2", "<= 2147483647"],
    ),
    "clip and a start": (["experiment=plain", "model.clip=3", "baselines.init_std=1"], ["model.clip", "init_std=0"]),
    "clip and heavy-ball descent": (
        ["experiment=plain", "model.clip=3", "baselines.heavy_ball=true"],
        ["model.clip", "heavy_ball=false"],
    ),
    "data without a use": (["experiment=plain", "data=bike"], ["data", "task=plain", "task=tabular"]),
    "no data": (["experiment=plain", "task=tabular"], ["data", "data=NAME"]),
    "unknown data": (["experiment=tabular", "data=bkie"], ["data=bkie", "did you mean bike"]),
    "another data set's key": (
        ["experiment=tabular", "data.drop_leakage=true"],
        ["data.drop_leakage: no such key; ", "normalization", "others have it: data=bike data.drop_leakage=VALUE"],
    ),
    "no file": (["experiment=tabular", "data=csv", "data.path=x.csv", "data.target=y"], ["data.path=x.csv"]),
    "no path": (["experiment=tabular", "data=csv"], ["data.path=FILE", "data.target=COLUMN"]),
    "a table cannot be shifted": (["experiment=tabular", "shift.alpha=[2]"], ["shift", "its own"]),
    "features and a start": (["experiment=tabular", "baselines.init_std=1"], ["model.features", "init_std=0"]),
    "too long a context for the table": (["experiment=tabular", "task.num_context=45"], ["45 test rows", "needs 46"]),
    "no directory of data": (["experiment=tabular", "data=bike", "data.dir=x"], ["data.dir=x", "no such directory"]),
    "data that needs an account": (["experiment=tabular", "data=calories"], ["exercise.csv", "kaggle", "data.dir="]),
    "a task that is removed": (["experiment=plain", "~task"], ["task: ", "removed", "task=NAME"]),
    "a part that there is not": (["experiment=fig1", "~parts.x"], ["parts.x: no such name", "rag_dot"]),
    "a launcher without a sweep": (["experiment=plain", "launcher=joblib"], ["launcher", "with -m"]),
    "keys of no launcher": (
        ["-m", "experiment=plain", "seed=1,2", "launcher.n_jobs=4"],
        ["launcher.n_jobs", "launcher=NAME"],
    ),
    "an unknown option": (["experiment=plain", "--nosuch"], ["--nosuch: no such option"]),
    "a report of nothing": (["report="], ["report=: a name is empty", "report=DIR"]),
    "a task without a key of the experiment's": (
        ["experiment=task_diversity", "task=rag_dot"],
        ["task=rag_dot: it has no key noise", "allowed: shifted_classes, linear"],
    ),
    "a number with e": (["experiment=plain", "train.steps=1e3"], ["train.steps=1e3: ", "whole number", "write 1000"]),
    "a number in a part's place": (
        ["experiment=plain", "+parts.x=3"],
        ["parts.x=3: a name with a list", "+parts.NAME=['KEY=VALUE']"],
    ),
    "a program that there is not": (
        ["experiment=dual_form", "sweep.stage=train", "sweep.program=7"],
        ["sweep.program=7: must be < 1"],
    ),
    "what the lab fills in": (["experiment=plain", "made_from=[a]"], ["made_from: the lab fills it in"]),
    "a key of a table where there is none": (
        ["experiment=dti_paper", "data.dir=/tmp"],
        ["data.dir=/tmp: data is null", "data=NAME", "california"],
    ),
    "a key far below a table where there is none": (
        ["experiment=plain", "seed=1", "+data.dir.x=1"],
        ["data.dir.x=1: data is null", "data=NAME"],
    ),
    "a key of a list": (["experiment=dti", "grid.x=3"], ["grid.x=3: grid is a list", "grid=[A,B]"]),
    "a key of a part": (["experiment=dti", "parts.naive.x=3"], ["parts.naive.x=3: parts.naive is a list"]),
    "missing device": (["experiment=plain", "device.require=tpu"], ["device.require=tpu", "none found"]),
}
IN_A_PROCESS = ["unknown key", "another kind's choice", "missing device"]  # where the process's own output is looked at
LATE = ["a context whose speed cannot be measured", "a shift too long"]  # a program of a run that has begun
NO_FILES = {"LAB_DATA_DIR": "", "XDG_CACHE_HOME": str(ROOT / ".pytest_cache" / "nothing")}  # of data sets


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in LATE else case for case in WRONG]
)
def test_one_clear_line(case, tmp_path):
    words, expected = WRONG[case]
    done = (lab if case in IN_A_PROCESS else lab_here)(*words, cwd=tmp_path, **NO_FILES)
    assert done.returncode in (1, 2)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    for text in expected:
        assert text in lines[0]
    assert case in LATE or list(tmp_path.iterdir()) == []  # nothing half-written


def test_the_bounds_of_a_message_are_those_of_the_help(tmp_path):
    shown = lab_here("experiment=plain", "--help", cwd=tmp_path).stdout
    (bounds,) = re.findall(r"task\.scale=1\.0 +number, (.*)", shown)
    for value in ("1e-20", "0.00001", "-1", "1e5", "1e300"):
        refused = lab_here("experiment=plain", f"task.scale={value}", cwd=tmp_path).stderr
        assert refused == f"error: task.scale={float(value)}: must be {bounds}\n"
