"""Settings of kinds of this family that cannot be, each refused in one line before anything is trained."""

import pytest

from tests.command_line import check_refused, lab_here


@pytest.mark.parametrize(
    ("kind", "words", "message"),
    [
        ("softmax_dual", ["errors.features=[]"], "errors.features=[]: at least one"),
        ("softmax_dual", ["errors.norms=[1,1]"], "errors.norms=[1.0,1.0]: each once"),
        (
            "softmax_dual",
            ["errors.features=[16,33]"],
            "[16, 33]: must be even; two features share a frequency",
        ),
        ("softmax_dual", ["path.features=7"], "path.features=7: must be even"),
        ("softmax_dual", ["replaced.features=[5]"], "replaced.features=[5]: must be even"),
        ("softmax_dual", ["errors.norms=[0]"], "errors.norms=[0.0]: must be > 0"),
        ("softmax_dual", ["variances.cosines=[2]"], "variances.cosines=[2.0]: must be >= -1 and <= 1"),
        ("softmax_dual", ["model.experiment=dual_form"], "which it starts from: seeds: no such key"),
        ("softmax_dual", ["model.words=['task=plain']"], "task=plain"),
        ("softmax_dual", ["model.words=['model.attention=linear']"], "other attention than softmax"),
        ("attention_ladder", ["model.words=['model.attention=linear']"], "other attention than softmax"),
        ("attention_ladder", ["model.words=['model.positions=alibi']"], "model.positions=alibi adds a bias"),
        ("momentum_attention", ["task=plain"], "task=plain: its queries are no sequence; allowed: markov, hmm_mixture"),
        (
            "momentum_attention",
            ["train.steps=6", "train.eval_every=2"],
            "train.eval_every=2: must divide half of train.steps=6",
        ),
        ("momentum_attention", ["model.num_heads=5"], "model.num_heads=5: must divide model.width=48"),
        ("momentum_attention", ["model.num_heads=16"], "positions=rope: model.width / model.num_heads must be even"),
        ("momentum_attention", ["eta=[0.5,0.5]"], "eta=[0.5,0.5]: each once"),
        ("momentum_attention", ["eta=[1.5]"], "eta=[1.5]: must be > 0 and <= 1"),
        ("language_dual", ["features=[16,33]"], "features=[16, 33]: must be even"),
    ],
)
def test_settings_that_cannot_be_are_one_line(kind, words, message, tmp_path):
    check_refused(lab_here(f"experiment={kind}", *words, cwd=tmp_path), message)
