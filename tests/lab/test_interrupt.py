"""Ctrl-C that cannot get lost."""

import signal

import pytest

from lab import interrupt


@pytest.fixture
def handler():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)
    interrupt._seen = False


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
