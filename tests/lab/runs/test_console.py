"""The progress of a run where no terminal shows it, and words of a console that lacks a sign."""

import io
import sys
import time

from lab.runs import console, machine


def lines_of(monkeypatch, minute=0.02):
    lines = []
    monkeypatch.setattr(console, "MINUTE", minute)
    monkeypatch.setattr(console, "say", lines.append)
    return lines


def wait_for(lines, text):
    give_up = time.monotonic() + 20
    while not any(text in line for line in lines):
        assert time.monotonic() < give_up, lines
        time.sleep(0.01)


def test_a_training_says_a_line_a_minute_without_a_terminal(monkeypatch):
    lines = lines_of(monkeypatch)
    with console.training_bar(200) as advance:
        wait_for(lines, "training")
        advance(0, 2.0, 0.0)
        time.sleep(0.01)
        advance(50, 1.5, 1.0)
        wait_for(lines, "training: step 50 of 200, loss 1.5000, about 0 min left")
    count = len(lines)
    time.sleep(0.1)
    assert len(lines) == count, "nothing is said afterwards"


def test_the_innermost_is_what_is_said(monkeypatch):
    lines = lines_of(monkeypatch)
    with console.counting_bar("blocks", 4) as advance:
        advance()
        wait_for(lines, "blocks: 1 of 4")
        with console.busy("compiling"):
            time.sleep(0.05)  # a line of the outer one may be under way
            lines.clear()
            wait_for(lines, "compiling: 0 min so far")
            assert not [line for line in lines if "blocks" in line]
        advance("more")
        wait_for(lines, "more: 2 of 4")


def test_no_line_before_the_first_minute_and_none_in_a_terminal_which_has_its_bar(monkeypatch):
    lines = lines_of(monkeypatch, minute=60.0)
    with console.training_bar(2) as advance, console.busy("compiling"):
        advance(1, 1.0, 1.0)
    lines_of(monkeypatch)
    monkeypatch.setattr(console, "say", lines.append)
    monkeypatch.setattr(console, "CONSOLE", console.Console(file=io.StringIO(), force_terminal=True))
    with console.training_bar(2):
        time.sleep(0.1)
    assert lines == []


def test_a_console_that_lacks_a_sign_shows_a_question_mark(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    machine.print_any_sign()
    console.say("0.5 ± 0.1")
    assert written.getvalue() == b"0.5 ? 0.1\n"


def test_the_seconds_of_this_process_grow():
    first = machine.seconds()
    time.sleep(0.05)
    assert 0.04 < machine.seconds() - first < 20
    assert first > 0
