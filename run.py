"""The entry point: `python run.py experiment=rag_dot`; alone, it names the experiments."""

import os
import sys

import experiments
from lab.config import kinds
from lab.errors import explain, printable
from lab.runs import interrupt, machine


def fail(error: Exception) -> None:
    """One line and exit status 1 for what a user can put right, a traceback for anything else."""
    if (line := explain(error)) is None:
        raise error
    print(f"error: {printable(line)}", file=sys.stderr)
    sys.exit(1)


def answer(words: list[str]) -> None:
    """Answer a command line that has words."""
    from lab.config import compose, help, multirun, user_code

    user_code.import_own_code(words)
    if words[0] == "runs" or any(word.startswith("report=") for word in words):
        from analysis.shelf import commands  # about stored runs: nothing is run, JAX is not imported

        return commands.answer(words)
    if any(word.startswith("decide=") for word in words):
        from trainers.decide.command import answer

        return answer(words)
    for command in multirun.commands(words):
        if {*command} & {*multirun.MULTIRUN}:
            from lab.runs import launchers

            launchers.run(command)
        elif {*command} & {*multirun.HELP}:
            help.print_help(compose.compose([word for word in command if word not in multirun.HELP]))
        else:
            from lab.runs import estimate

            point = estimate.prepared(command, multirun.typed(words, command))
            from trainers.launch import launch  # JAX is imported here: the command line has been understood

            launch(point)


def main() -> None:
    words = sys.argv[1:]
    machine.print_any_sign()
    machine.is_command_line = True
    os.environ["MPLBACKEND"] = "agg"  # another program's may be none that Matplotlib knows
    try:
        if not words or words[0] == "list":
            from experiments.costs import costs
            from lab.config import experiments as listing

            kinds.install({}, experiments.files())
            return listing.print_questions(costs(), words[1:]) if words else listing.print_names()
        kinds.install(experiments.kinds(), experiments.files())
        interrupt.listen()
        answer(words)
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
