"""Ctrl-C that cannot get lost."""

import signal
import time

import pytest

from lab.runs import interrupt


@pytest.fixture
def handler():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, action in before.items():
        signal.signal(number, action)
    interrupt._received = None


def test_a_swallowed_interrupt_is_raised_again(handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    interrupt.check()
    with pytest.raises(KeyboardInterrupt):  # and forgotten, as a garbage collector's callback would
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interrupt.check()


def test_in_the_collector_s_callback_a_signal_waits_for_its_end(handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    ended = []

    def _xla_gc_callback():
        signal.raise_signal(signal.SIGINT)
        ended.append(True)

    def collected():
        _xla_gc_callback()
        time.sleep(10)

    with pytest.raises(interrupt.Stopped):
        collected()
    assert ended == [True]


def test_who_ignores_the_signal_goes_on_ignoring_it(handler):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupt.listen()
    signal.raise_signal(signal.SIGINT)
    interrupt.check()


def held_then(reached, *numbers):
    """Signals in a block that holds them; `reached` gets those after which it went on."""
    with interrupt.held():
        for number in numbers:
            signal.raise_signal(number)
            interrupt.check()
            reached.append(number)


@pytest.mark.parametrize(
    ("numbers", "waited_for"),
    [
        ([signal.SIGINT], 1),
        ([signal.SIGTERM], 1),
        ([signal.SIGHUP, signal.SIGHUP], 2),  # of a terminal that is closed, by the shell and by the system
        ([signal.SIGINT, signal.SIGINT], 1),  # a second signal does not wait
    ],
)
def test_a_signal_waits_for_the_end_of_what_must_not_be_cut(numbers, waited_for, handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    interrupt.listen()
    reached = []
    with pytest.raises(interrupt.Stopped) as stopped:
        held_then(reached, *numbers)
    assert reached == numbers[:waited_for]
    assert stopped.value.number == numbers[0]
