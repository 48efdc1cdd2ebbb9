"""Settings of kinds of this family that cannot be, each refused in one line before anything is trained."""

import pytest

from tests.command_line import check_refused, lab_here


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["experiment=demonstration_choice", "validation=[4,4]"], "validation=[4,4]: each once"),
        (
            ["experiment=demonstration_choice", "examples=17"],
            "examples=17: the decoders read up to task.num_context=16",
        ),
        (["experiment=demonstration_choice", "model.words=['task=plain']"], "is no classification"),
        (["experiment=deep_thinking", "eta=[3.0]", "beta=[0.0]"], "eta=[3.0]: must be > 0 and <= 2"),
        (["experiment=deep_thinking", "eta=[2.0]", "beta=[0.0]"], "eta=2 with beta=0 diverges"),
        (["experiment=deep_thinking", "eta=[]"], "eta=[]: at least one"),
        (["experiment=icl_vs_finetune", "learning_rates=[]"], "learning_rates=[]: at least one"),
        (["experiment=icl_vs_finetune", "model.experiment=fig1"], "model.experiment=fig1: it keeps no decoder"),
        (["experiment=icl_vs_finetune", "model.experiment=plain", "seeds=1"], "it keeps no decoder"),
        (["experiment=softmax_dual", "model.experiment=fig1"], "model.experiment=fig1: it keeps no decoder"),
        (["experiment=icl_vs_finetune", "test=['task.nosuch=1']"], "nosuch"),
        (["experiment=deep_thinking", "test=['train.steps=1']"], "allowed are words task.KEY=VALUE"),
        (["experiment=deep_thinking", "offset=true", "model.words=['model.positions=learned']"], "leave it out"),
        (
            ["experiment=prompt_shifts", "model.experiment=shifted_classes", "model.words=[]"],
            "keeps no decoder of functions",
        ),
        (["experiment=prompt_shifts", "model.words=[]"], "it keeps no decoder of functions"),
        (["experiment=prompt_shifts", "scales=[0.5,2,0.5]"], "scales=[0.5,2.0,0.5]: each once"),
        (
            ["experiment=prompt_shifts", "model.words=['grid=[]','task=sine','figure=functions']"],
            "task=sine: shifts of the prompt are of linear",
        ),
        (
            ["experiment=demonstrations", "task=plain"],
            "task=plain: it has no pool of demonstrations; allowed: rec",
        ),
        (["experiment=demonstrations", "examples=5", "pool=8"], "examples=5: twice as many must be in the pool=8"),
        (["experiment=demonstrations", "validation=[2,2]"], "validation=[2,2]: each once"),
        (["experiment=demonstrations", "model.num_heads=5"], "model.num_heads=5: must divide model.width=48"),
        (["experiment=demonstrations", "floor=1.5"], "floor=1.5: must be > 0 and <= 1"),
    ],
)
def test_settings_that_cannot_be_are_one_line(words, message, tmp_path):
    check_refused(lab_here(*words, cwd=tmp_path), message)
