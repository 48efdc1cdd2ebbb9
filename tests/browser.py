"""Pages as a browser shows them, where there is Chromium: what does not fit, is cut off or is complained about."""

import html
import json
import pathlib
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium")
WITH_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--virtual-time-budget=60000",
    "--dump-dom",
]
# Each page in a frame of each width: a window of its own cannot be as narrow as a telephone.
PROBE = """<!DOCTYPE html><title>probe</title><body><script>
const frames = PAGES, results = [];
const loaded = (frame) => new Promise((resolve) => frame.addEventListener("load", () => setTimeout(resolve, 50)));
const scrolled = (node) => node && (getComputedStyle(node).overflowX !== "visible" || scrolled(node.parentElement));
(async () => {
  for (const [address, width] of frames) {
    const frame = document.createElement("iframe");
    frame.style = `width: ${width}px; height: 800px; border: 0`;
    document.body.append(frame);
    frame.getBoundingClientRect(); // lays it out, so that pictures are chosen for its width
    const ready = loaded(frame);
    frame.src = address;
    await ready;
    const page = frame.contentDocument;
    page.querySelectorAll("details").forEach((one) => (one.open = true));
    const beyond = [...page.body.querySelectorAll("*")]
      .filter((node) => node.getBoundingClientRect().right > width + 1 && !scrolled(node.parentElement))
      .map((node) => `${node.tagName} ${node.className}`);
    results.push({
      width: page.documentElement.scrollWidth,
      beyond,
      pictures: [...page.querySelectorAll("img, svg.figure")]
        .filter((picture) => picture.checkVisibility())
        .map((picture) => (picture.viewBox ? picture.viewBox.baseVal.width : picture.naturalWidth)),
      buttons: page.querySelectorAll('th[scope="col"] > button[type="button"]').length,
    });
    frame.remove();
  }
  document.body.innerHTML = "<pre></pre>";
  document.querySelector("pre").textContent = JSON.stringify(results);
})();
</script>"""


def shown(pages: list[pathlib.Path], widths: tuple[int, ...], folder: pathlib.Path) -> tuple[list[dict], str]:
    """How each page looks at each width, and what the console says.

    Returns:
        For each page and width, pages first: the `width` that the page takes, the elements that reach `beyond` it and
        are not scrolled, the width of each of its visible `pictures`, and the number of `buttons` that sort its tables.
    """
    frames = [[page.resolve().as_uri(), width] for page in pages for width in widths]
    probe = folder / "probe.html"
    probe.write_text(PROBE.replace("PAGES", json.dumps(frames)), encoding="utf-8")
    words = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", probe.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    results = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert results is not None, done.stderr
    console = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    return json.loads(html.unescape(results[1])), console


def title(page: pathlib.Path, folder: pathlib.Path) -> str:
    """The title of a page when its scripts have run."""
    words = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", page.resolve().as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    found = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    return html.unescape(found[1])
