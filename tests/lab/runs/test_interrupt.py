"""Ctrl-C that cannot get lost."""

import signal

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_end_of_what_must_not_be_cut(number, handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    reached = []
    with pytest.raises(interrupt.Stopped) as stopped:
        held_then(reached, number)
    assert reached == [number]
    assert stopped.value.number == number


def test_a_terminal_that_is_closed_is_told_twice_and_waits(handler):
    """By the shell and by the system."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    interrupt.listen()
    reached = []
    with pytest.raises(interrupt.Stopped) as stopped:
        held_then(reached, signal.SIGHUP, signal.SIGHUP)
    assert reached == [signal.SIGHUP, signal.SIGHUP]
    assert stopped.value.number == signal.SIGHUP


def test_a_second_signal_does_not_wait(handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    reached = []
    with pytest.raises(interrupt.Stopped):
        held_then(reached, signal.SIGINT, signal.SIGINT)
    assert reached == [signal.SIGINT]
