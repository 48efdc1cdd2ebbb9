"""The door of the lab: `python run.py experiment=rag_dot`; alone, it lists the experiments."""

import os
import sys

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from lab.config import compose, multirun
from lab.config.experiments import print_experiments
from lab.errors import explain
from lab.runs import interrupt

compose.register()


@hydra.main(version_base="1.3", config_path="lab/config/conf", config_name="config")
def hydra_main(composed: DictConfig) -> None:
    try:
        config = compose.check(composed)
        from trainers.start import run

        run(config, list(HydraConfig.get().overrides.task))
    except Exception as error:  # caught here already, since Hydra prints a line of its own about a job that raises
        fail(error)


def fail(error: Exception) -> None:
    """One line and exit status 1 for what a user can put right, a traceback for anything else."""
    if (line := explain(error)) is None:
        raise error
    print(f"error: {line}", file=sys.stderr)
    sys.exit(1)


def main() -> None:
    if len(sys.argv) == 1:
        return print_experiments()
    interrupt.listen()
    try:
        if sys.argv[1].startswith("report="):
            from analysis.report.redraw import redraw

            return redraw(sys.argv[1:])
        for words in multirun.commands(sys.argv[1:]):
            sys.argv[1:] = words
            hydra_main()
    except KeyboardInterrupt as stopped:
        print("\nstopped; what is done is kept, the same command goes on from there", file=sys.stderr)
        sys.exit(128 + getattr(stopped, "number", 2))
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        fail(error)


if __name__ == "__main__":
    main()
