"""Chromium driven by its own protocol over two pipes: Enter, the pointer, schemes of colour."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.browser import CHROMIUM

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE = 60  # seconds
# The browser reads from file descriptor 3 and writes to 4: a process gives its pipes these numbers and becomes it.
START = """import os, sys
for number, descriptor in zip((63, 64), sys.argv[1:3]):
    os.dup2(int(descriptor), number)
os.dup2(63, 3), os.dup2(64, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Page:
    """One page in a browser. `console` has what it says there, and `requests` what it loads."""

    def __init__(self, writer: int, reader: int):
        self._writer, self._reader, self._rest, self._number = writer, reader, b"", 0
        self._session = ""
        self.console: list[str] = []
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, address: str) -> None:
        """Load an address, and wait until its scripts have run."""
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def look(self, width: int, height: int = 900, dark: bool = False) -> None:
        """Set the width of the window in pixels, and the scheme of colours."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def value(self, expression: str):
        """Return the value of a JavaScript expression."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        give_up = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < give_up, expression
            time.sleep(0.02)

    def press_enter(self) -> None:
        """Press the key Enter, as a person does: what has the focus gets it."""
        common = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self._call("Input.dispatchKeyEvent", type="keyDown", text="\r", **common)
        self._call("Input.dispatchKeyEvent", type="keyUp", **common)

    def point(self, x: float, y: float) -> None:
        """Move the pointer there."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def _call(self, method: str, **parameters) -> dict:
        self._number += 1
        message: dict = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict) -> None:
        details = event.get("params", {})
        if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(json.dumps(details))
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])

    def _read(self) -> dict:
        while b"\0" not in self._rest:
            more = os.read(self._reader, 2**20)
            assert more, "the browser has ended"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


@contextlib.contextmanager
def page(profile: pathlib.Path) -> Iterator[Page]:
    """Yield a page of a browser that ends with the block.

    Args:
        profile: a folder for the browser's own files.
    """
    commands, answers = os.pipe(), os.pipe()
    words = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    start = [sys.executable, "-c", START, str(commands[0]), str(answers[1]), *words]
    with subprocess.Popen(start, pass_fds=(commands[0], answers[1]), stderr=subprocess.DEVNULL) as process:
        os.close(commands[0])
        os.close(answers[1])
        try:
            yield Page(commands[1], answers[0])
        finally:
            process.kill()
            os.close(commands[1])
            os.close(answers[0])
