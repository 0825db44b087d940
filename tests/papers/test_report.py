"""The report: verdicts, one self-contained page, and an exit code that tells whether all agrees."""

from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge import papers
from tauforge.cli.main import app
from tauforge.papers import entry, lemoine
from tauforge.papers.entry import Figure, Paper, Part, Verdict
from tauforge.papers.proof import proved, small
from tauforge.papers.report import Made, html

VOID = {"meta", "img", "br"}


class Checker(HTMLParser):
    """Notes tags that are not closed, and addresses outside the page."""

    def __init__(self):
        super().__init__()
        self.open, self.outside, self.texts = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.outside += [x for key, x in attributes if key in ("src", "href") and not x.startswith(("data:", "#"))]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (entry.same("a", "b", 3, 3), Verdict.AGREES),
        (entry.same("a", "b", 3, 4), Verdict.DIFFERS),
        (entry.close("a", "b", 2.0, 2.0002, 1e-3), Verdict.AGREES),
        (entry.close("a", "b", 2.0, 2.02, 1e-3), Verdict.DIFFERS),
        (entry.close("a", "b", 0.0, 0.02, 1e-3), Verdict.DIFFERS),
        (entry.close("a", "b", 1.0, float("nan"), 1e-3), Verdict.DIFFERS),
        (entry.at_most("a", "b", 10, 9), Verdict.BETTER),
        (entry.at_most("a", "b", 10, 10), Verdict.AGREES),
        (entry.at_most("a", "b", 10, 11), Verdict.DIFFERS),
        (entry.fewer("a", "b", (5, 5), (6, 3)), Verdict.BETTER),
        (entry.fewer("a", "b", (5, 5), (5, 5)), Verdict.AGREES),
        (entry.fewer("a", "b", (5, 5), (5, 6)), Verdict.DIFFERS),
        (entry.beside("a", "b", (5, 5), (5, 6)), Verdict.SHOWN),
        (entry.beside("a", "b", (5, 5), (5, 5)), Verdict.AGREES),
        (entry.shown("a", "b", "x", "y"), Verdict.SHOWN),
        (small("a", "b", "c", 1e-9, 1e-8), Verdict.AGREES),
        (small("a", "b", "c", float("nan"), 1e-8), Verdict.DIFFERS),
        (proved("a", "b", "c", tf.Program.of(y="x + x"), tf.Program.of(y="2*x")), Verdict.AGREES),
        (proved("a", "b", "c", tf.Program.of(y="x + x"), tf.Program.of(y="3*x")), Verdict.DIFFERS),
    ],
)
def test_verdicts(made, verdict):
    assert made.verdict is verdict


def sample(*entries):
    part = Part("A <part>", "text & more", tuple(entries), (Figure("f", "c", "<svg/>"),), "a < b")
    return Made(Paper("key", "A. Author (2020): Title", "about", lambda: iter([part])), (part,))


def test_the_page_is_whole_and_needs_nothing_else():
    made = sample(entry.same("x < y", "table 1", 1, 2), entry.shown("a", "", "b", "c"))
    page = html([made], "version 1")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.outside == []
    assert "@import" not in page
    assert "url(" not in page
    assert "<script" not in page
    shown = " ".join(checker.texts)
    for text in ("A <part>", "x < y", "a < b", "A. Author (2020)", "0 of 1"):
        assert text in shown
    assert [each.what for each in made.differing] == ["x < y"]


def test_the_command_writes_the_report(tmp_path):
    out = tmp_path / "report.html"
    found = CliRunner().invoke(app, ["papers", "--paper", "lemoine", "-o", str(out)])
    assert found.exit_code == 0, found.output
    page = out.read_text(encoding="utf-8")
    for text in ("Figure 6", "YY2 + ZZ1 + ZZ3", "77 mul, 66 add", "data:image/svg+xml;base64,"):
        assert text in page


def test_the_command_fails_if_something_differs(monkeypatch):
    made = sample(entry.same("x", "table 1", 1, 2))
    monkeypatch.setattr(papers, "paper", lambda name: made.paper)
    found = CliRunner().invoke(app, ["papers", "--paper", "lemoine"])
    assert found.exit_code == 1
    assert "differs: key: x: 1 is published, ours is 2" in found.output


def test_unknown_papers_are_refused():
    found = CliRunner().invoke(app, ["papers", "--paper", "newton"])
    assert "choose among khalil, meghdari" in str(found.exception)


def test_a_misprint_in_the_program_of_figure_6_would_be_found():
    wrong = lemoine.FIGURE_6.replace("N22 = -N33", "N22 = N33")
    assert wrong != lemoine.FIGURE_6
    base = tf.inverse_dynamics(tf.robots.rrp(symbolic=True), parameters="base")
    with pytest.raises(tf.CertificationError):
        base.certify(lemoine.program_of(wrong))
    assert lemoine.operators("a = -(b.*c) + d.^2 - e; f = (-a + b).*c;") == (3, 3)
