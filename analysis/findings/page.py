"""The text of the pages of docs/findings: one per source, one of new findings, and the table of sources."""

import collections
import pathlib
import posixpath
import re
from collections.abc import Iterable, Iterator

from analysis.figures.cited import Work
from analysis.figures.claim import Outcome
from analysis.findings.kept import fingerprint
from analysis.findings.sources import QUESTIONS, Claims, Finding, Question, Source, filled
from analysis.findings.words import measured, reason
from analysis.report.blocks import repeats
from analysis.report.published import MADE_BY, origin

RESULTS = "../results"  # as the pages see the kept tables
PICTURES = "figures"
MANY = 8  # claims of this lab beyond which they are folded
HEADS = {
    Outcome.HOLDS: "What holds",
    Outcome.DOES_NOT_HOLD: "What does not hold",
    Outcome.NO_DIFFERENCE: "No difference that would matter",
    Outcome.UNDECIDED: "Undecided: the errors are too large",
    Outcome.NOT_REACHED: "Not reached: a model had not learned enough, or its loss was still falling",
    Outcome.NOT_MEASURED: "Not measured",
}
WITHOUT_PAGE = (Work.AHN23, Work.DEUTCH23, Work.SHEN23)
WITHOUT_NUMBER = (Outcome.NOT_REACHED, Outcome.NOT_MEASURED)
LEGEND = (
    "A [claim](../glossary.md#claim) holds if every number of its criterion is on the right side of its bound by a "
    "95% interval over seeds ([what verdicts mean](../learners.md#claims)). The number beside it is the one nearest to "
    "its bound."
)
NUMBERED = {  # of one, of several; the others have no verdict
    Outcome.HOLDS: ("holds", "hold"),
    Outcome.DOES_NOT_HOLD: ("does not", "do not"),
    Outcome.NO_DIFFERENCE: ("makes no difference", "make no difference"),
}
COUNTED = {each: str(each).replace("does not hold", "does not") for each in Outcome}
READINGS = {  # {whether a source has the claim, whether this lab's reading is stronger: in words}
    (True, False): "in the source's own words",
    (True, True): "in this lab's stronger reading",
    (False, False): "this lab's own sentences",
}
REFERS = re.compile(
    r"(\w+: that is so|It|They|The two|That is so|At \d layers (it|that gap)|What is appended|With linear attention)\b"
)
FINDINGS = (
    "This page lists what the sources assert and whether it holds here. Every [verdict](../glossary.md#verdict) is made"
    " from [kept tables](../glossary.md#kept-table); a test fails if a number on these pages differs from them. [What "
    "is new here](new.md) has findings that no source states. The last row above the totals is a question of this lab. "
    "[All claims as squares](matrix.html), for a browser, can be filtered."
)
VERDICTS = (
    "A claim *holds* or *does not* by 95% intervals over seeds. *Undecided* means that these are too wide; *not "
    "reached* means that a model had not learned enough, or that its loss was still falling when training stopped."
)
GENERATED = "<!-- Made by `make findings` from {} and docs/results; edit these. -->"


def page(source: Source, claims: Claims, results: pathlib.Path, pictures: Iterable[str]) -> str:
    """Return the page of one source.

    Args:
        claims: {figure: its claims} of all figures; without kept tables they are unmeasured.
        results: the folder of the kept tables.
        pictures: the names of the figures with a picture.
    """
    place = f"docs/findings/{source.name}.yaml"

    def text(words: str) -> str:
        return filled(words, claims, place)

    cited = [
        (figure, claim) for figure in claims for claim in complete(claims[figure]) if _cites(source, figure, claim)
    ]
    own = [(figure, claim) for figure in source.own for claim in complete(claims.get(figure, ())) if not claim["work"]]
    lines = [GENERATED.format(place), f"# {source.title}", "", f"*{source.reference}*", ""]
    lines += [f"**{text(source.answer)}**", "", text(source.question), ""]
    lines += ["## What the source asserts", "", *(f"- {text(line)}" for line in source.asserts), ""]
    for name in pictures:
        words = text(source.figures[name])
        lines += [f"![{words.split('. ')[0].rstrip('.')}]({PICTURES}/{name}.png)", "", f"*{words}*", ""]
    judged = _by_reading(claim for _, claim in cited)
    counts = "; ".join(f"{reading} {_counted(group)}" for reading, group in judged.items())
    lines += [f"This lab judges {len(cited)} claims: {counts}. {LEGEND}", ""]
    lines += [line for outcome in Outcome for line in _group(HEADS[outcome], cited, outcome, results)]
    lines += _listed("## How to read the source's numbers", map(text, source.artefacts))
    lines += _own(own, results)
    lines += _listed("## Limits", map(text, source.limits))
    lines += _again(source, {figure: None for figure, _ in (*cited, *own)}, results)
    read_on = ", ".join(f"[{title}](../{link})" for title, link in source.pages.items())
    return "\n".join([*lines, f"Details: {read_on}. All numbers: [verdicts](../results.md).", ""])


def new_page(findings: list[Finding], claims: Claims, results: pathlib.Path) -> str:
    """Return the page of findings that no source has."""
    place = "docs/findings/new.yaml"
    lines = [GENERATED.format(place), "# What is new here", ""]
    lines += [
        "Findings that none of the sources states, the most important first. Each rests on the claims below it, which"
        " are",
        "judged from kept tables, and has a weakest point. *Elsewhere* says what other work already has.",
        "",
    ]
    for number, finding in enumerate(findings, start=1):
        lines += [f"## {number}. {filled(finding.finding, claims, place)}", ""]
        lines += [filled(finding.evidence, claims, place), ""]
        chosen = _chosen(finding, claims)
        lines += [f"- **{claim['outcome']}**: {_sentence(figure, claim, results)}" for figure, claim in chosen]
        weakest = filled(finding.weakest, claims, place)
        lines += [""] * bool(chosen)
        lines += [f"*Weakest point:* {weakest} [Details](../{finding.page}).", ""]
        lines += [f"*Elsewhere:* {finding.elsewhere.strip()}", ""] if finding.elsewhere else []
    return "\n".join(lines)


def contents(sources: list[Source], questions: list[Question], claims: Claims) -> str:
    """Return the page that leads to the others."""
    lines = [GENERATED.format("docs/findings/*.yaml"), "# Findings", ""]
    return "\n".join([*lines, FINDINGS, "", *table(sources, questions, claims, ""), "", VERDICTS, ""])


def table(sources: list[Source], questions: list[Question], claims: Claims, folder: str) -> list[str]:
    """Return the lines of a table of the sources, and below them of this lab's questions: the answer in a sentence, and
    the numbers of verdicts. Totals by reading, and how many claims have no verdict, are at the end.

    Args:
        folder: the folder of the pages, relative to the table's page.
    """
    rows = []
    for source in sources:
        group = [claim for figure, all_of in claims.items() for claim in all_of if _cites(source, figure, claim)]
        answer = filled(source.answer, claims, f"docs/findings/{source.name}.yaml")
        rows.append(_row(f"[{source.work}]({folder}{source.name}.md)", answer, group))
    for each in questions:
        group = [claim for figure in each.figures for claim in claims[figure]]
        link = posixpath.normpath(f"{folder}../{each.page}")
        answer = filled(each.answer, claims, f"docs/findings/{QUESTIONS}.yaml")
        rows.append(_row(f"[{each.question}]({link})", answer, group))
    every = [claim for of_figure in claims.values() for claim in of_figure]
    rows += [_row("*all*", f"*{reading}*", group) for reading, group in _by_reading(every).items()]
    heads = ["source", "in one sentence", *COUNTED.values()]
    no_verdict = sum(claim["outcome"] not in NUMBERED for claim in every)
    last = ["", f"Of {len(every)} claims {no_verdict} have no verdict."]
    return ["| " + " | ".join(heads) + " |", "|---|---|" + "--:|" * len(COUNTED), *rows, *last]


def _cites(source: Source, figure: str, claim: dict) -> bool:
    """Return whether a source's page has a claim: one on the source, or of its figures on a work without a page."""
    return claim["work"] == source.work or (claim["work"] in WITHOUT_PAGE and figure in source.own)


def _row(source: str, words: str, claims: list[dict]) -> str:
    counts = collections.Counter(claim["outcome"] for claim in claims)
    return "| " + " | ".join((source, words, *(str(counts[each]) for each in COUNTED))) + " |"


def _by_reading(claims: Iterable[dict]) -> dict[str, list[dict]]:
    groups: dict[str, list[dict]] = {reading: [] for reading in READINGS.values()}
    for claim in claims:
        groups[READINGS[bool(claim["work"]), claim["is_stronger"]]].append(claim)
    return {reading: group for reading, group in groups.items() if group}


def _counted(claims: Iterable[dict]) -> str:
    """Return '39 (17 hold, 7 do not, 15 without a verdict)', without verdicts that do not occur."""
    counts = collections.Counter(claim["outcome"] for claim in claims)
    numbers = [f"{counts[each]} {words[counts[each] > 1]}" for each, words in NUMBERED.items() if counts[each]]
    if none := sum(counts[each] for each in counts.keys() - NUMBERED.keys()):
        numbers.append(f"{none} without a verdict")
    return f"{counts.total()} ({', '.join(numbers)})"


def _group(head: str, cited: list[tuple[str, dict]], outcome: Outcome, results: pathlib.Path) -> Iterator[str]:
    chosen = [(figure, claim) for figure, claim in cited if claim["outcome"] == outcome]
    if not chosen:
        return
    yield from (f"## {head}", "")
    if outcome not in WITHOUT_NUMBER:
        yield from (*(f"- {_sentence(figure, claim, results)}" for figure, claim in chosen), "")
        return
    by_reason: dict[str, list[str]] = {}
    for figure, claim in chosen:
        by_reason.setdefault(_reason(claim), []).append(f"- {_sentence(figure, claim, results, False)}")
    for why, sentences in by_reason.items():
        yield from (why, "", *sentences, "")


def _reason(claim: dict) -> str:
    """Return the reason why a claim has no number, as a heading for all claims with this reason."""
    why = _escaped(reason(claim).rstrip("."))
    if claim["outcome"] != Outcome.NOT_REACHED:
        return f"{why[:1].upper()}{why[1:]}:"
    control, _, lacking = why.partition(": ")
    return f"Control not met: {control} ({lacking}):"


def _sentence(figure: str, claim: dict, results: pathlib.Path, with_reason: bool = True) -> str:
    """Return the statement, the number or the reason, and in brackets the place and where all numbers are."""
    number = measured(claim)
    why = _reason(claim).rstrip(":") if with_reason and claim["outcome"] in WITHOUT_NUMBER else ""
    says = f" *{_escaped(number)}.*" if number else f" *{why}.*" if why else ""
    star = ", in this lab's stronger reading" if claim["is_stronger"] else ""
    link = f"[{figure}]({RESULTS}.md#{figure})" if (results / figure).is_dir() else figure
    changed = "criterion changed after the run" if claim["changed"] else ""
    parts = (f"{claim['place'] or claim['source']}{star}", repeats(claim), changed, link)
    where = "; ".join(filter(None, parts))
    first = f"*{_escaped(claim['before'])}* " if claim["before"] else ""
    return f"{first}{_escaped(claim['statement'])}{says} ({where})"


def _own(own: list[tuple[str, dict]], results: pathlib.Path) -> Iterator[str]:
    if not own:
        return
    lines = [f"- **{claim['outcome']}**: {_sentence(figure, claim, results)}" for figure, claim in own]
    yield from (
        "## What this lab adds",
        "",
        f"Claims that no source makes: {_counted(claim for _, claim in own)}.",
        "",
    )
    if len(lines) > MANY:
        lines = ['<details markdown="1">', "<summary>All of them</summary>", "", *lines, "", "</details>"]
    yield from (*lines, "")


def _listed(head: str, paragraphs: Iterable[str]) -> Iterator[str]:
    if lines := [f"- {paragraph}" for paragraph in paragraphs]:
        yield from (head, "", *lines, "")


def _again(source: Source, figures: Iterable[str], results: pathlib.Path) -> Iterator[str]:
    """Yield the commands that repeat the page's runs, with the fingerprints of its tables."""
    yield from ("## Commands", "", "```sh", f"python run.py experiment={source.experiment} size=quick")
    yield from (f"python run.py experiment={source.experiment}", "```", "")
    yield from ("| tables | command | commit | fingerprint |", "|---|---|---|---|")
    for figure in figures:
        if (results / figure).is_dir():
            command, *others = origin(results / figure)
            commit = next((line.split()[1][:10] for line in others if line.startswith("commit ")), "not kept")
            cells = (f"[{figure}]({RESULTS}/{figure}/{MADE_BY})", f"`{command}`", commit)
            yield "| " + " | ".join((*cells, fingerprint(results / figure))) + " |"
    yield ""


def complete(claims: Iterable[dict]) -> Iterator[dict]:
    """Yield the claims of a figure, each with `before`: the claim that its first "It" or "They" refers to."""
    last = ""
    for claim in claims:
        goes_on = REFERS.match(claim["statement"])
        yield claim | {"before": last if goes_on else ""}
        last = last if goes_on else claim["statement"]


def _chosen(finding: Finding, claims: Claims) -> list[tuple[str, dict]]:
    return [
        (figure, claim)
        for figure, beginnings in finding.claims.items()
        for claim in complete(claims.get(figure, ()))
        if any(claim["statement"].startswith(beginning) for beginning in beginnings)
    ]


def _escaped(text: str) -> str:
    """Return a text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([|_*<\[\]])", r"\\\1", text)
