"""Makes finished runs of points: one run, the points of a sweep, or sweeps of sweeps. Knows no kind of experiment.

Points with equal `Base.together` are run by one call of their experiment. Each point has the directory that it would
have as a single run, and a point that is DONE is not run again: so an interrupted sweep goes on where it stopped. The
sweep's directory gets the joined tables of its points, a figure, its claims and a report. JAX is imported only if there
is something to compute, not to find and show finished runs.
"""

import traceback

from analysis.report.terminal import answer, files, results
from analysis.report.untrusted import check_summary
from lab.config.choices import Stage, Style
from lab.config.imported import PROGRAM
from lab.config.points import Point, inputs, programs, with_inputs
from lab.errors import Busy, ConfigError, TooLarge, UserError, explain, writing
from lab.runs import console, interrupt, validity
from lab.runs.devices import find_devices, prepare_processes
from lab.runs.directory import RunDirectory
from lab.runs.hosts import same_on_all_processes
from trainers.done import reopen_outdated, say_other_code, unfinished
from trainers.experiment import check, experiment_of
from trainers.sweep_files import failures, gather_points, has_other_points, is_outdated, present_again, reasons


def launch(root: Point, nested: bool = False) -> None:
    """Run all unfinished runs of a command line, and show the results. nested: the call comes from a sweep, which has
    checked all its points.

    Raises:
        UserError: no experiment was chosen, the device that was asked for is missing, a directory cannot be written, or
            a run failed.
    """
    if not nested:
        _prepare(root)
    if root.settings.sweep.stage is Stage.train:
        return _run_program(root)
    _run_inputs(root)
    if root.settings.has_points:
        return _sweep(root)
    show = results
    if unfinished([root]):
        from trainers.pending import at_work, records_of  # JAX is imported here

        records = records_of([root])
        with interrupt.recognised(), at_work(records, answer) as left:
            if left:
                experiment_of(root.settings).run(left)
                show = files
        if records[0].failure:
            raise records[0].failure
    _draw_for_paper(root, RunDirectory.of(root.settings))
    show(RunDirectory.of(root.settings))


def _draw_for_paper(root: Point, directory: RunDirectory) -> None:
    """Draw the figure for a paper, too, where that was asked for."""
    if root.settings.style is Style.paper:
        from analysis.figures import for_paper  # Matplotlib is imported here

        for_paper.draw(directory)


def run_only(root: Point) -> None:
    """Run the unfinished single runs of a command line, and write no files of a sweep.

    Raises:
        UserError: a run failed.
    """
    _prepare(root)
    for group in programs(root.runs):
        _run_group(group, stop=True)


def _prepare(root: Point) -> None:
    """Check what a command line asks for, then make the processes, compiled programs and devices ready."""
    settings = root.settings
    if not settings.name:
        raise ConfigError(
            f"experiment: none was chosen; give experiment=NAME (`{PROGRAM}` alone lists them), or for a kind of "
            "your own kind=KIND name=NAME"
        )
    for each in with_inputs(root):
        check(each)
    prepare_processes(settings)
    find_devices(settings.device)


def _run_program(root: Point) -> None:
    """Run one program of a sweep: the work of a launcher's job. Failures are stored, for the process that gathers."""
    groups, number = programs(root.runs), root.settings.sweep.program
    if number >= len(groups):
        raise ConfigError(f"sweep.program={number}: must be < {len(groups)}, the number of programs")
    group = groups[number]
    console.say(f"--- {root.settings.name}: program {number + 1}")
    _run_group(group, stop=False)


def _run_inputs(root: Point) -> None:
    """Run the inputs of a point: the runs that it starts from."""
    for needed in inputs(root):
        if validity.is_done(needed.settings):
            say_other_code(needed)
        else:
            console.say(f"--- first, what {root.settings.name} starts from: {console.command(needed.words)}")
            _launch_when_free(needed)


def _launch_when_free(each: Point) -> None:
    """Launch a point or an input. While another process is at work on it, wait, and use the results."""
    while True:
        try:
            return launch(each, nested=True)
        except Busy as busy:
            _wait([RunDirectory.of(each.settings)], busy)


def _wait(directories: list[RunDirectory], busy: Busy) -> None:
    console.say(f"waiting, {busy}")
    for directory in directories:
        directory.wait()


def _sweep(root: Point) -> None:
    settings, directory = root.settings, RunDirectory.of(root.settings)
    with writing(f"the files of {directory.path}"), directory.locked(settings):
        if directory.done and not settings.run.force:
            check_summary(directory)
        failed = _run_points(root)
        failed = failures(root) | failed
        there = directory.done and not has_other_points(root, directory) and not is_outdated(root, directory)
        if failed or settings.run.force or not there:
            gather_points(root, directory, failed)
        else:
            present_again(root, directory)
    _draw_for_paper(root, directory.unfinished if failed else directory)
    results(directory.unfinished if failed else directory)
    if failed:
        if len(failed) < len(root.points):
            raise UserError(
                f"{len(failed)} of {len(root.points)} points failed, the others are kept: {reasons(failed)}"
            )
        directory.unfinished.fail(f"every point failed: {reasons(failed)}")  # a sweep of sweeps reports it
        raise UserError(f"every point failed: {reasons(failed)}")


def _run_points(root: Point) -> dict[str, str]:
    """Run the unfinished points. After a launcher's jobs have run the single runs, only sweeps are gathered.

    Returns:
        {name of a point that is a sweep: why it did not finish}.
    """
    settings, failed = root.settings, {}
    single = [each for each in root.points if not each.settings.has_points]
    runs = programs(single) if settings.sweep.stage is Stage.all else []
    if settings.sweep.stage is Stage.gather:  # its job may have ended before the run began, or been killed at its end
        for each in single:
            RunDirectory.of(each.settings).settle(each.settings)
        reopen_outdated(single)
    for number, group in enumerate(runs, start=1):
        console.say(f"--- {settings.name}: program {number} of {len(runs)}")
        _run_group(group, settings.sweep.fail_fast, is_first=number == 1)
    sweeps = [each for each in root.points if each.settings.has_points]
    for number, each in enumerate(sweeps, start=1):
        console.say(f"=== {each.name}, {number} of {len(sweeps)}")
        try:
            _launch_when_free(each)
        except Exception as error:
            if settings.sweep.fail_fast or not same_on_all_processes(error):
                raise
            failed[each.name] = _explained(error)
    return failed


def _explained(error: Exception) -> str:
    """Print an error, and return it as one line. An unexpected error is printed with its traceback."""
    if (line := explain(error)) is None:
        console.say(traceback.format_exc())
        line = repr(error)
    console.say(f"failed: {line}")
    return line


def _run_group(group: list[Point], stop: bool, is_first: bool = False) -> None:
    """Run the unfinished points of a program. A failure is raised if `stop`, or if the first program of a sweep is too
    large; else it is printed.
    """
    for each in group:
        console.say(each.name)
        _run_inputs(each)
    if points := unfinished(group):
        _run_together(points, stop, is_first)


def _run_together(points: list[Point], stop: bool, is_first: bool) -> None:
    from trainers import resume
    from trainers.pending import at_work, records_of  # JAX is imported here

    waiting: dict[str, Busy] = {}
    for records in resume.groups(records_of(points)):
        try:
            with interrupt.recognised(), at_work(records) as left:
                if left:
                    experiment_of(left[0].settings).run(left)
        except Busy as busy:  # another process has the lock; other groups come first
            waiting |= {str(record.place.path): busy for record in records}
        except Exception as error:
            if stop or (is_first and isinstance(error, TooLarge)) or not same_on_all_processes(error):
                raise
            line = explain(error)
            for record in records:
                if not record.directory.done:
                    record.directory.fail(line or traceback.format_exc())
            console.say(f"failed: {line or repr(error)}")
        for record in records:
            if record.failure is not None:
                record.directory.fail(str(record.failure))
                if stop:
                    raise record.failure
                console.say(f"failed: {record.failure}")
    if left := [each for each in points if str(RunDirectory.of(each.settings).path) in waiting]:
        _wait([RunDirectory.of(each.settings) for each in left], next(iter(waiting.values())))
        _run_group(left, stop)
