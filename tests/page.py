"""What is promised of every report: well-formed, self-contained, with words for its pictures."""

import html.parser
import pathlib
import urllib.parse

DRAWN = {"use", "image"}  # elements of SVG that refer to others, and to pictures
VOID = {"meta", "link", "img", "br", "source"}  # elements without an end


class Page(html.parser.HTMLParser):
    """Collects what a page points to, its pictures' alternative texts, its ids, and what is closed wrongly."""

    def __init__(self, text: str):
        super().__init__()
        self.sources, self.links, self.alternatives, self.ids = [], [], [], []
        self.open, self.wrong, self.headings = [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        result = dict(attributes)
        self.sources += [result[name] for name in ("src", "srcset") if name in result]
        self.links += [result["href"]] if "href" in result and tag not in DRAWN else []
        self.sources += [result.get("href") or result["xlink:href"]] if tag == "image" else []
        self.alternatives += [result["alt"]] if tag == "img" else []
        self.alternatives += [result["aria-label"]] if result.get("class") == "drawing" else []
        self.ids += [result["id"]] if "id" in result else []
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def check_page(path: pathlib.Path) -> Page:
    page = Page(path.read_text(encoding="utf-8"))
    assert not page.wrong
    assert page.alternatives
    assert all(len(text) > 20 for text in page.alternatives)
    assert all(address.startswith("data:") for address in page.sources), "one self-contained file"
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        elif not link.startswith("data:"):
            assert "://" not in link, "nothing on the network"
            assert link.startswith(("./", "../")), "a relative one, whatever a table is called"
            assert (path.parent / urllib.parse.unquote(link)).exists()
    assert len(set(page.ids)) == len(page.ids)
    return page
