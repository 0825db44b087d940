"""``tauforge equations``, and derivatives on the command line."""

from .test_cli import run


def test_equations_in_the_terminal():
    assert run("equations", "planar2r", "--model", "inertia-matrix").stdout.startswith("M(q) = ⎡ 5/3 + c₂")
    assert run("equations", "planar2r", "-s").stdout.count("where") == 3


def test_equations_in_a_file(tmp_path):
    file = tmp_path / "arm.md"
    options = ("--of", "potential", "--wrt", "q", "-o", file)
    assert run("equations", "planar2r", "-m", "energy", *options).returncode == 0
    assert r"\mathit{dpotential\_dq}(q)" in file.read_text(encoding="utf-8")
    several = run("equations", "planar2r", "-o", file)
    assert several.returncode == 2
    assert "choose it with --model MODEL" in several.stderr


def test_derivatives():
    text = run("generate", "direct-dynamics", "planar2r", "--wrt", "q,qd,tau").stdout
    assert all(f"double dqdd_d{name}[4]" in text for name in ("q", "qd", "tau"))
    assert "choose one with --of" in run("generate", "energy", "planar2r", "--wrt", "q").stderr
    assert "with --wrt" in run("generate", "energy", "planar2r", "--of", "kinetic").stderr
