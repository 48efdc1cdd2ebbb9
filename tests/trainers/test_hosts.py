"""Several processes: two of two forced CPU devices each train one population, and the first alone writes."""

import contextlib
import json
import random
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from lab.config import compose
from lab.config.identity import config_hash
from lab.errors import ConfigError
from tests.command_line import (
    ENVIRONMENT,
    ROOT,
    TINY,
    forced_devices,
    lab,
    ran,
    sketching_command,
    wait_until_it_trains,
)
from tests.trainers.test_mesh import curves


def free_port():
    """One of those that JAX takes for a Slurm job."""
    for port in random.sample(range(61440, 65536), 100):
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("", port))
            return port
    raise AssertionError("no port is free")


PORT = free_port()
POPULATION = ["experiment=plain", *TINY, "seeds=4"]


def by_words(process):
    """(words, environment): everything is said on the command line."""
    return [f"hosts.coordinator=localhost:{PORT}", "hosts.processes=2", f"hosts.process={process}"], {}


def by_slurm(process):
    """What Slurm says. JAX takes the port from the job's number."""
    job = {"SLURM_JOB_ID": str(PORT - 61440), "SLURM_STEP_NODELIST": "localhost", "SLURM_NTASKS": "2"}
    return ["hosts.auto=true"], job | {"SLURM_PROCID": str(process), "SLURM_LOCALID": str(process)}


@contextlib.contextmanager
def started(tmp_path, call, how=by_words):
    """Two processes of `call(words about the hosts)`, each where the other does not write."""
    both, path = [], forced_devices(2) | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    for process in range(2):
        (here := tmp_path / f"process_{process}").mkdir(exist_ok=True)
        words, environment = how(process)
        both.append(subprocess.Popen(call(*words), cwd=here, env=ENVIRONMENT | path | environment, **pipes))
    try:
        yield both
    finally:
        for process in both:
            process.kill()
            process.communicate()


def ended(both):
    """[(exit status, stdout, stderr)]"""
    output = [process.communicate(timeout=300) for process in both]
    return [(process.returncode, *of) for process, of in zip(both, output, strict=True)]


def trained(tmp_path, *words):
    with started(tmp_path, lambda *hosts: sketching_command(*POPULATION, *words, *hosts)) as both:
        return ended(both)


# What is left of a line where two threads of the library wrote at the same time.
REST = re.compile(r"\d* ?is connected to \d+ peer ranks\. Expected number of connected peer ranks is : \d+")


def without_gloo(stdout):
    """Lines but those of the library that connects the processes."""
    return [line for line in stdout.splitlines() if line and "[Gloo]" not in line and not REST.fullmatch(line)]


@pytest.fixture(scope="module")
def population(tmp_path_factory):
    """Where two processes have trained one, and how they ended."""
    path = tmp_path_factory.mktemp("hosts")
    return path, trained(path)


@pytest.mark.slow
def test_two_processes_train_one_population(population, tmp_path):
    """Curves to 1e-5, as on the devices of one process (see test_mesh); the second process leaves nothing."""
    path, ((status, stdout, stderr), (other, output, of_other)) = population
    assert (status, other) == (0, 0), stderr + of_other
    assert "devices: 4 x cpu (cpu) of 2 processes" in stdout
    assert without_gloo(output) == []
    assert not list((path / "process_1").iterdir())
    ran(*POPULATION, cwd=tmp_path)
    expected = curves(tmp_path / "runs")
    for row, of_one in zip(curves(path / "process_0" / "runs"), expected, strict=True):
        assert row == pytest.approx(of_one, rel=1e-5, abs=1e-5)


@pytest.mark.slow
def test_what_is_done_is_agreed_upon(population):
    """The second process does not see the directory, and yet does not begin to train."""
    path, _ = population
    (status, stdout, stderr), (other, output, of_other) = trained(path)
    assert (status, other) == (0, 0), stderr + of_other
    assert "already done" in stdout
    assert without_gloo(output) == []
    assert not list((path / "process_1").iterdir())


@pytest.mark.slow
def test_a_signal_to_one_stops_both_and_both_go_on(tmp_path):
    words, reached = ["train.steps=100000000", "train.eval_every=20"], -1
    for stopped in (1, 0):
        with started(tmp_path, lambda *hosts: sketching_command(*POPULATION, *words, *hosts)) as both:
            directory = wait_until_it_trains(both[0], tmp_path / "process_0")
            while last_step(directory) <= reached:  # the second time it goes on
                assert [process.poll() for process in both] == [None, None]
                time.sleep(0.1)
            both[stopped].send_signal(signal.SIGTERM)
            result = ended(both)
        assert [status for status, _, _ in result] == [128 + signal.SIGTERM] * 2, result
        assert all("the same command goes on" in stderr for _, _, stderr in result)
        saved = [int(state.stem) for state in (directory / "checkpoints").glob("[0-9]*.npz")]
        assert max(saved) == last_step(directory) > reached
        assert (f"going on from step {reached}" in result[0][1]) == (reached > 0)
        reached = max(saved)
    assert not list((tmp_path / "process_1").iterdir())


def last_step(directory):
    """Of the lines of metrics.jsonl that are whole; a run that goes on writes the file again."""
    try:
        *whole, _ = (directory / "metrics.jsonl").read_text().split("\n")
    except FileNotFoundError:
        return -1
    return json.loads(whole[-1])["members"][0]["step"] if whole else -1


SCRIPT = """
import sys
import jax
import experiments
from lab.config import compose, kinds
from lab.runs import hosts
from lab.runs.devices import find_devices, prepare_processes
from lab.errors import UserError
kinds.install(experiments.kinds(), experiments.files())
config = compose.compose(["experiment=plain", *sys.argv[1:]])
prepare_processes(config)
find_devices(config.device)
here = jax.process_index()

def alone(text):
    print("first", hosts.first())
    return hosts.on_first_process(lambda: text * 1000)() if text else 1 / 0

print("told", hosts.on_first_process(alone)("ab" + str(here)) == "ab0" * 1000)
try:
    hosts.on_first_process(alone)("")
except ZeroDivisionError as error:
    print("raised", error, hosts.same_on_all_processes(error), hosts.same_on_all_processes(OSError("here")))
print("shared", hosts.split_over_processes(lambda index: [index, here], 3))
try:
    hosts.split_over_processes(lambda index: [1.0, 1 / 0][index], 2)
except ZeroDivisionError as error:
    print("raised", error)
print("maximum", hosts._maximum(here + 5))
config.seed = here
try:
    prepare_processes(config)
except UserError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [by_words, by_slurm])
def test_what_one_gives_or_raises_so_do_all(how, tmp_path):
    with started(tmp_path, lambda *hosts: [sys.executable, "-c", SCRIPT, *hosts], how) as both:
        first, second = ended(both)
    same = [
        "raised division by zero True False",
        "shared [[0, 0], [1, 1], [2, 0]]",
        "raised division by zero",
        "maximum 6",
        "hosts: the processes were started with different settings; give all of them the same",
    ]
    assert without_gloo(first[1]) == [
        "devices: 4 x cpu (cpu) of 2 processes", "first True", "told True", "first True", *same
    ], first[2]  # fmt: skip
    assert without_gloo(second[1]) == ["told True", *same], second[2]
    assert (first[0], second[0]) == (0, 0)


WRONG = {
    "no coordinator": (["hosts.processes=2"], "hosts.coordinator: HOST:PORT"),
    "no port": (["hosts.coordinator=node"], "hosts.coordinator=node: must be HOST:PORT"),
    "no such process": (
        ["hosts.coordinator=node:1", "hosts.processes=2", "hosts.process=2"],
        "hosts.process=2: must be < hosts.processes=2",
    ),
    "both": (["hosts.auto=true", "hosts.processes=2"], "hosts.auto=true: the cluster says the rest"),
    "a measurement of speed": (["experiment=speed", "hosts.auto=true"], "hosts: times are measured on one device"),
    "a launcher": (["hosts.auto=true", "sweep.stage=train"], "hosts: a launcher's jobs"),
}


@pytest.mark.parametrize("case", WRONG)
def test_settings_that_do_not_fit(case):
    words, expected = WRONG[case]
    with pytest.raises(ConfigError, match=expected):
        compose.compose(["experiment=plain", *words])


def test_results_do_not_depend_on_hosts():
    words = ["hosts.coordinator=node:1", "hosts.processes=2", "hosts.process=1"]
    assert config_hash(compose.compose(["experiment=plain", *words])) == config_hash(
        compose.compose(["experiment=plain"])
    )


@pytest.mark.slow
def test_no_cluster_is_one_line(tmp_path):
    done = lab("experiment=plain", *TINY, "hosts.auto=true", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: hosts.auto=true: the processes do not meet (")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
