"""Settings that cannot be are refused in one line, before anything is trained or written."""

import pytest

from tests.command_line import check_refused, lab_here

INTERLEAVED = "kind=comparison name=mine task=plain model.layout=interleaved"
OF_FUNCTIONS = "kind=functions name=mine"
DECODERS = "it keeps no decoder"
REFUSED = {  # {first words: [(further words, what the line says)]}
    # clicks
    "experiment=click_stream": [
        ("task=plain", "task=plain: it has no clicks; allowed: clicks, ordered_clicks"),
        ("model.targets=51", "model.targets=51: a stream has task.num_targets=50 of them"),
        ("model.width=30", "model.num_heads=4: must divide model.width=30"),
        ("model.width=12", "model.positions=rope: model.width / model.num_heads must be even"),
        ("model.ymin=0.5 model.ymax=0.1", "model.ymin=0.5: at most model.ymax=0.1"),
        ("model.ymax=2", "model.ymax=2"),
    ],
    "kind=dti_cost name=dti_cost": [
        ("sizes=[]", "sizes=[]: at least one"),
        ("sizes=[[10,10,3]]", "sizes: [10, 10, 3] is not [n, k, c, d], four whole numbers >= 1"),
        ("sizes=[[10,0,3,32]]", "sizes: [10, 0, 3, 32] is not"),
        ("sizes=[[10,10,1,32]]", "has 1 token in an interaction"),
        ("sizes=[[10,10,3,30]]", "model.num_heads=4 must divide it"),
        ("sizes=[[10,10,3,32],[10,10,3,32]]", "each once"),
        ("growth=[1,2,3]", "growth=[1, 2, 3]: four different numbers at least"),
        ("blocks=[0]", "blocks=[0]: must be >= 1"),
        ("hosts.auto=true", "hosts: "),
    ],
    "kind=dti_reach name=dti_reach": [
        ("positions=[rope,rope]", "positions=[rope,rope]: each once"),
        ("num_targets=1", "num_targets=1: must be >= 2"),
        ("model.width=15", "model.num_heads=2: must divide model.width=15"),
    ],
    "experiment=dti_language": [
        ("prompt.scheme=dti", "prompt.scheme=dti: a language model reads by naive, no_id, local"),
        ("prompt.labels=[a]", "prompt.labels: two words, of labels 0 and 1"),
    ],
    "experiment=click_log": [
        ("data=diabetes", "data=diabetes: it is not for this kind of experiment; allowed: movielens"),
        ("model.num_heads=3", "model.num_heads=3: must divide model.width=32"),
        ("model.ymin=0.5 model.ymax=0.2", "model.ymin=0.5: at most model.ymax=0.2"),
        ("model.num_context=0", "model.num_context=0: must be >= 1"),
        ("population.chunk=1", "population.chunk: the seeds of a log train side by side"),
    ],
    # demonstrations
    "experiment=demonstration_choice": [
        ("examples=17", "examples=17: the decoders read up to task.num_context=16"),
        ("model.words=['task=plain']", "is no classification"),
    ],
    "experiment=deep_thinking": [
        ("eta=[3.0] beta=[0.0]", "eta=[3.0]: must be > 0 and <= 2"),
        ("eta=[2.0] beta=[0.0]", "eta=2 with beta=0 diverges"),
        ("test=['train.steps=1']", "allowed are words task.KEY=VALUE"),
        ("offset=true model.words=['model.positions=learned']", "leave it out"),
    ],
    "experiment=icl_vs_finetune": [
        ("learning_rates=[]", "learning_rates=[]: at least one"),
        ("model.experiment=fig1", f"model.experiment=fig1: {DECODERS}"),
        ("model.experiment=plain seeds=1", DECODERS),
        ("test=['task.nosuch=1']", "nosuch"),
    ],
    "experiment=prompt_shifts": [
        ("model.experiment=shifted_classes model.words=[]", f"{DECODERS} of functions"),
        ("model.words=[]", f"{DECODERS} of functions"),
        ("model.words=['grid=[]','task=sine','figure=functions']", "task=sine: shifts of the prompt are of linear"),
    ],
    "experiment=demonstrations": [
        ("task=plain", "task=plain: it has no pool of demonstrations; allowed: rec"),
        ("examples=5 pool=8", "examples=5: twice as many must be in the pool=8"),
        ("model.num_heads=5", "model.num_heads=5: must divide model.width=48"),
        ("floor=1.5", "floor=1.5: must be > 0 and <= 1"),
    ],
    # duals
    "experiment=softmax_dual": [
        ("errors.norms=[1,1]", "errors.norms=[1.0,1.0]: each once"),
        ("errors.features=[16,33]", "errors.features=[16, 33]: must be even; two features share a frequency"),
        ("path.features=7", "path.features=7: must be even"),
        ("errors.norms=[0]", "errors.norms=[0.0]: must be > 0"),
        ("variances.cosines=[2]", "variances.cosines=[2.0]: must be >= -1 and <= 1"),
        ("model.experiment=fig1", f"model.experiment=fig1: {DECODERS}"),
        ("model.experiment=dual_form", "which it starts from: seeds: no such key"),
        ("model.words=['task=plain']", "task=plain"),
        ("model.words=['model.attention=linear']", "other attention than softmax"),
    ],
    "experiment=attention_ladder": [
        ("model.words=['model.attention=linear']", "other attention than softmax"),
        ("model.words=['model.positions=alibi']", "model.positions=alibi adds a bias"),
    ],
    "experiment=momentum_attention": [
        ("task=plain", "task=plain: its queries are no sequence; allowed: markov, hmm_mixture"),
        ("train.steps=6 train.eval_every=2", "train.eval_every=2: must divide half of train.steps=6"),
        ("model.num_heads=5", "model.num_heads=5: must divide model.width=48"),
        ("model.num_heads=16", "positions=rope: model.width / model.num_heads must be even"),
        ("eta=[1.5]", "eta=[1.5]: must be > 0 and <= 1"),
    ],
    # functions
    "experiment=shifted_classes": [
        ("model.num_heads=3", "model.num_heads=3: must divide model.width=64"),
        ("model.num_groups=3", "model.num_groups=3: must divide model.num_heads=4"),
        ("model.width=12 model.positions=rope", "model.positions=rope: model.width / model.num_heads must be even"),
        ("eval.examples=[3,17]", "task.num_context=16"),
        ("task=rag_dot", "task=rag_dot: it needs documents"),
        ("task=markov", "task=markov: its queries are its examples"),
        ("task=linear", "task=linear: its queries are its examples"),
        ("task=tabular", "a table of data"),
    ],
    OF_FUNCTIONS: [
        ("task=markov", "task=markov: it is no class of functions; allowed: linear, "),
        ("task=sparse_linear task.nonzero=6", "task.nonzero=6: at most task.input_dim=5"),
        ("task=decision_tree task.depth=0", "task.depth=0"),
        ("task=sine task.input_dim=2", "task.input_dim=2"),
        ("model.positions=rope model.width=12", "must be even"),
        ("task=logistic baselines.names=[ridge]", "ridge cannot be fitted with task=logistic; allowed: posterior"),
        ("baselines.names=[posterior]", "posterior cannot be fitted with task=linear; allowed: least_squares, "),
        ("curriculum.every=1.5", "curriculum.every=1.5: must be a whole number"),
        ("curriculum.inputs=0", "curriculum.inputs=0.0: must be >= 1"),
        ("curriculum.every=2 curriculum.inputs=50", "curriculum.inputs=50: must be <= task.input_dim="),
        ("curriculum.every=2 curriculum.examples=50", "curriculum.examples=50: must be <= task.num_context="),
        ("curriculum.every=-1", "curriculum.every=-1"),
        ("task=logistic curriculum.every=2", "curriculum.every: curricula are of real functions"),
    ],
    "kind=task_diversity name=mine": [
        ("task.noise=1 pool.size=2000", "pool.size=2000: must be <= pool.largest=1024"),
        ("task.noise=1 pool.size=2.5", "pool.size=2.5: must be a whole number"),
        ("task.noise=0", "needs noise"),
        ("task=sine task.noise=1", "task=sine: no functions with a known Bayes-optimal answer; allowed: linear"),
        ("task=plain", "task=plain: no functions with a known Bayes-optimal answer; allowed: linear"),
    ],
    # online
    "experiment=online_stacks parts={}": [
        ("depths=[0]", "depths=[0]: must be >= 1"),
        ("task=recall task.num_keys=9", "task.num_keys=9: at most task.input_dim=8"),
    ],
    # recommendation
    "experiment=recommend_searched": [
        ("splits=[global_time]", "search.methods: only with a task and splits=[leave_one_out]"),
        ("search.examples=12", "search.examples=12: twice as many must be in the pool of 23"),
        ("search.validation=28", "search.validation=28: must be <= 26"),
    ],
    # regression
    INTERLEAVED: [
        ("model.features=mlp", "model.features=mlp: interleaved tokens show inputs as they are"),
        ("baselines.init_std=0.1", "baselines.init_std=0.1: "),
        ("model.clip=2", "model.clip=2.0: must be null"),
        ("shift.num_context=[5]", "shift.num_context: "),
        ("task=rag_dot", "choose model.injection=none"),
    ],
    "kind=comparison name=mine": [
        ("task=plain model.clip=2 baselines.higher_order=true", "it needs baselines.higher_order=false"),
        ("task=plain model.num_features=3", "it needs model.features=mlp"),
        ("task=plain model.features=residual model.num_features=3", "it needs model.features=mlp"),
        ("task=sine", "task=sine: its queries see some of the examples each"),
        ("task=recommend", "task=recommend: its loss ranks candidates"),
        ("task=sine_regression task.input_dim=2", "task.input_dim=2: must be"),
    ],
    "experiment=more_steps": [
        ("model.experiment=shifted_classes", "it keeps no Transformer"),
        ("model.experiment=depth", "it keeps no Transformer"),
        ("model.words=['model.recurrent=false']", "weights of their own cannot be repeated"),
        ("model.words=['model.features=mlp']", "without learned features"),
        ("model.words=['baselines.init_std=0.1']", "baselines.init_std=0"),
        ("dampings=[0]", "dampings"),
        ("layers=[60]", "times=50: at least as often as in training, 60 times"),
    ],
    "experiment=tabular": [("data=movielens", "data=movielens: it is not for this kind of exper")],
    "experiment=plain": [
        ("data=click_csv", "data=click_csv: it is not for this kind of ex"),
        ("task=recall task.num_keys=9", "task.num_keys=9: at most task.input_dim=8"),
    ],
    # timing
    "kind=decoder_speed name=mine": [
        ("model.num_heads=3", "model.num_heads=3: must divide model.width=64"),
        ("prompts=0", "prompts=0: must be >= 1"),
        ("hosts.auto=true", "hosts: times are measured on one device"),
    ],
    "kind=retrieval_cost name=mine": [
        ("documents=[0,2]", "documents=[0, 2]: must be >= 1"),
        ("rounds=0", "rounds=0: must be >= 1"),
        ("seconds=0", "seconds=0.0: must be > 0"),
    ],
    "kind=speed name=mine": [
        ("model.layout=interleaved", "model.layout=interleaved: speed is measured on merged tokens"),
    ],
}


@pytest.mark.parametrize(
    ("first", "words", "message"), [(first, *case) for first, cases in REFUSED.items() for case in cases]
)
def test_it_is_one_line(first, words, message, tmp_path):
    check_refused(lab_here(*first.split(), *words.split(), cwd=tmp_path), message)
    assert not (tmp_path / "runs").exists()
