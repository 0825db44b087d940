"""Files that would take long or much memory: refused at once, with the limit and how to raise it."""

import math
import os
import resource
import subprocess
import sys
import time

import pytest

import tauforge as tf
from tauforge.limits import spend

ROBOT = '<robot name="r">{}</robot>'
MODEL = '<mujoco>{}<worldbody><body name="b"><joint/><geom size="1"/>{}</body></worldbody></mujoco>'
TABLE = (
    'format = 1\nname = "r"\ngravity = [0, 0, 0]\n[[link]]\nname = "a"\njoint = "j"\ntype = "revolute"\non = "base"\n'
)


def chain(count):
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joint = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>{2}</joint>'
    joints = (joint.format(i, i - 1, f'<mimic joint="j{i - 1}"/>' * (i > 1)) for i in range(1, count + 1))
    return ROBOT.format(links + "".join(joints))


FILES = {
    "unclosed comments": (".xml", "<!--" * 20_000, ":1: this is not XML"),
    "keyframes": (".xml", MODEL.format('<size nkey="100000000"/>', ""), ":1: more than 20,000,000 numbers"),
    "user data of very many digits": (".xml", MODEL.format(f'<size nuserdata="{"1" * 5000}"/>', ""), "more than"),
    "a height field": (
        ".xml",
        MODEL.format('<asset><hfield name="h" nrow="10000" ncol="10000" size="1 1 1 1"/></asset>', ""),
        "raise the limit: limits=tf.FileLimits(storage=…)",
    ),
    "a sensor": (".xml", MODEL.format("<sensor><user dim='100000000'/></sensor>", ""), "more than 20,000,000 numbers"),
    "sites": (".xml", MODEL.format("", "<site/>" * 10_000), "more than 10,000 links, frames, tendons and loops"),
    "bodies": (".xml", MODEL.format("", "<body/>" * 300_000), "more than 300,000 elements"),
    "an axis near the largest number": (
        ".xml",
        MODEL.format("", "").replace("<joint", '<joint axis="1e308 0 0"'),
        "axis",
    ),
    "a geom beyond the largest number": (
        ".xml",
        MODEL.format("", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>').replace(
            'size="1"', 'type="capsule" size="1" fromto="0 0 -1.7e308 0 0 1.7e308"'
        ),
        "finite|too large|must be",
    ),
    "a gear whose square is beyond the largest number": (
        ".xml",
        MODEL.replace("<joint/>", '<joint name="j"/>').format(
            '<actuator><motor joint="j" gear="1e200" armature="1"/></actuator>', ""
        ),
        "IA of joint 'j': this is not a finite number|unrecognized attribute",
    ),
    "elements": (".urdf", ROBOT.format("<a/>" * 300_000), "more than 300,000 elements"),
    "attributes": (".urdf", ROBOT.format("<a b='' c='' d='' e='' f=''/>" * 250_000), "more than 300,000 elements"),
    "links": (".urdf", ROBOT.format("".join(f'<link name="{i}"/>' for i in range(10_002))), "more than 10,000 links"),
    "another encoding": (".urdf", '<?xml version="1.0" encoding="cp037"?>' + ROBOT, "encoding cp037 is not read"),
    "a ratio beyond the largest number": (
        ".urdf",
        chain(3).replace("<mimic", '<mimic multiplier="1e200"'),
        "both must be finite",
    ),
    "frames": (".toml", TABLE + "[[frame]]\n" * 10_000, "more than 10,000 links, frames, tendons and loops"),
    "a dotted key": (".toml", "a." * 100_000 + "b = 1", ":1: a key of more than 4 parts"),
    "a quoted dotted key": (".toml", "\n" + '"a" . ' * 100_000 + "b = 1", ":2: a key of more than 4 parts"),
    "tables in tables": (".toml", TABLE + "".join(f"[a{i}.b.c.d]\n" for i in range(100_001)), "more than 300,000"),
    "a number of very many digits": (".toml", TABLE + "ZZ = 0x" + "f" * 3900, ":9: ZZ is a very large int"),
    "a number of more digits": (".toml", TABLE + "ZZ = 0x" + "f" * 6000, ":9: .* a word of more than 4000 letters"),
    "a link of very many digits": (".toml", TABLE.replace('"base"', "0x" + "f" * 3900), ":8: there is no link a very"),
    "a symbol of very many digits": (".toml", TABLE + f'ZZ = "ZZ{"1" * 3900}"', "cannot be a symbol's name"),
    "a long name": (".toml", TABLE.replace('"r"', f'"{"r " * 1000}r"'), "a text of 2001 characters cannot be the name"),
    "blank lines in .toml": (".toml", "\n" * 300_001 + "x", "more than 300,000"),
    "a long .toml": (".toml", "# " * 5_000_001, "more than 10,000,000 characters in a .toml file"),
    "blank lines in .par": (".par", "\n" * 300_001 + "x", "more than 300,000"),
    "comments in .par": (".par", "(**)" * 300_001, "more than 300,000"),
}


@pytest.mark.filterwarnings("ignore::tauforge.RobotWarning")
@pytest.mark.parametrize(("ending", "content", "message"), FILES.values(), ids=FILES)
def test_refused_at_once(tmp_path, ending, content, message):
    path = tmp_path / f"robot{ending}"
    path.write_text(content)
    start = time.process_time()
    with pytest.raises(tf.RobotError, match=message.replace("(", r"\(").replace(")", r"\)")) as error:
        tf.load(path)
    assert time.process_time() - start < 3
    assert str(path) in str(error.value)


def test_expressions(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(TABLE + "\n".join(f'{key} = "{"x+" * 100}x"' for key in ("XX", "YY", "ZZ")))
    with pytest.raises(tf.RobotError, match=r":11: more than 500 characters of expressions"):
        tf.load(path, limits=tf.FileLimits(expressions=500))
    assert tf.load(path, limits=tf.FileLimits(expressions=603)).symbols == ("x",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("ending", [".par", ".toml", ".urdf", ".xacro", ".xml"])
def test_what_is_no_file(tmp_path, ending):
    pipe, device = tmp_path / f"pipe{ending}", tmp_path / f"device{ending}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(tf.RobotError, match="this is a pipe or a device"):
            tf.load(path)
    loop = tmp_path / f"loop{ending}"
    loop.symlink_to(loop)
    for path in (loop, tmp_path / f"{'x' * 300}{ending}", f"nul\0{ending}"):
        with pytest.raises(tf.RobotError, match="cannot be read"):
            tf.load(path)


@pytest.mark.parametrize("name", ["loop.toml", "x" * 300 + ".toml", "nul\0.toml"])
def test_where_nothing_can_be_written(tmp_path, name):
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    with pytest.raises(tf.TauforgeError, match="cannot be written"):
        tf.robots.rrp(symbolic=True).save(tmp_path / name)


def test_a_mesh_that_is_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "p.obj")
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format('<asset><mesh name="m" file="p.obj"/></asset>', ""))
    with pytest.raises(tf.RobotError, match=r"p\.obj: this is a pipe or a device"):
        tf.load(path)


def test_a_chain_of_mimic_joints(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(chain(2000).replace("<mimic", '<mimic multiplier="-1" offset="1"'))
    start = time.process_time()
    with pytest.warns(tf.RobotWarning):
        robot = tf.load(path)
    assert time.process_time() - start < 3
    last = robot.joints[-1].mimic
    assert (last.joint, last.ratio, last.offset) == (1, -1.0, 1.0)


def test_limits_can_be_raised(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(chain(3))
    with pytest.raises(tf.RobotError, match=r"more than 2 links, .*; if you trust it, raise the limit: .*links="):
        tf.load(path, limits=tf.FileLimits(links=2))
    with pytest.warns(tf.RobotWarning):
        assert len(tf.load(path, limits=tf.FileLimits(links=math.inf)).joints) == 3
    for wrong in (0, -1, "9", True, math.nan):
        with pytest.raises(tf.RobotError, match="the limit bytes is"):
            tf.FileLimits(bytes=wrong)
    with pytest.raises(tf.RobotError, match="more than 10,000 links"):  # those of the call before have gone
        spend("links", 10_001, "here")


def test_user_data_of_every_element(tmp_path):
    path = tmp_path / "m.xml"
    user = f'<default><geom user="{"1 " * 100_000}"/></default>'
    path.write_text(MODEL.format(user, '<geom size="1"/>' * 1500))
    with pytest.raises(tf.RobotError, match=r"compiler takes longer than 1 s|compiler needs more than"):
        tf.load(path, limits=tf.FileLimits(seconds=1, memory=1e8))


def test_no_place_for_temporary_files(tmp_path, monkeypatch):
    path = tmp_path / "r.xacro"
    path.write_text(chain(1))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(tf.RobotError, match=r"r\.xacro: cannot be read \(.*gone"):
        tf.load(path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_for_temporary_files(tmp_path, monkeypatch):
    """What the other process writes is lost; it says so, and no part of it is read."""
    model, macros = tmp_path / "m.xml", tmp_path / "r.xacro"
    model.write_text(MODEL.format("", "<geom size='1'/>" * 2100))
    macros.write_text(chain(1))

    class Full:
        def __enter__(self):
            folder = tmp_path / "full"
            folder.mkdir(exist_ok=True)
            for name in ("model.mjb", "expanded"):
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to("/dev/full")
            return str(folder)

        def __exit__(self, *_):
            return None

    monkeypatch.setattr("tempfile.TemporaryDirectory", Full)
    for path in (model, macros):
        with pytest.raises(tf.RobotError, match=r"No space left on device\); set TMPDIR"):
            tf.load(path)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("snap", [None, "1e-4", [1], 1j, True, -1.0, math.nan]),
        ("lenient", [None, "no", 1]),
        ("folders", [None, "/tmp", b"/tmp", [1], [None], 3, {"/"}]),
        ("limits", [5, "x", {"links": 3}, tf.FileLimits]),
    ],
)
def test_options_of_other_types(tmp_path, option, values):
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format("", ""))
    for value in values:
        with pytest.raises(tf.RobotError, match=f"m.xml: {option} is .*; it must be"):
            tf.load(path, **{option: value})
    with pytest.raises(tf.RobotError, match="one of the folders"):
        tf.load(path, folders=["\0"])
    assert tf.load(path).dof == 1  # what was refused has changed nothing


def test_a_model_for_which_the_compiler_needs_long(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format('<size nkey="3000000"/>', ""))
    with pytest.raises(tf.RobotError, match=r"compiler takes longer than 1\.5 s; .*FileLimits\(seconds=…\)"):
        tf.load(path, limits=tf.FileLimits(seconds=1.5))
    path.write_text(MODEL.format('<size nuser_body="9000000"/>', ""))
    if sys.platform.startswith("linux"):
        with pytest.raises(tf.RobotError, match=r"compiler needs more than 10,000,000 bytes of memory; .*memory=…"):
            tf.load(path, limits=tf.FileLimits(memory=1e7))


def test_a_large_model_is_compiled_apart(tmp_path):
    """What MuJoCo says in its own process is what it says here."""
    path = tmp_path / "m.xml"
    sites = "".join(f'<site name="s{i}"/>' for i in range(2100))
    path.write_text(MODEL.format("", sites))
    assert len(tf.load(path).frames) == 2100
    path.write_text(MODEL.format("", sites + '<site name="s0"/>'))
    with pytest.raises(tf.RobotError, match=r"m\.xml:1: .*repeated name 's0' in site"):
        tf.load(path)


XACRO = ROBOT.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
MACROS = "".join(f'<xacro:macro name="m{i}">{f"<xacro:m{i + 1}/>" * 10}</xacro:macro>' for i in range(9))
PROGRAMS = {
    "macros in macros": (
        f'{MACROS}<xacro:macro name="m9"><a/></xacro:macro><xacro:m0/>',
        "xacro takes longer than 1 s",
    ),
    "a power of a power": ('<a b="${9**9**9}"/>', r"xacro takes longer than 1 s; .*FileLimits\(seconds=…\)"),
    "a pipe": ('<xacro:include filename="pipe.xml"/>', "xacro takes longer than 1 s"),
    "a long list": ('<a b="${list(range(10**9))}"/>', "xacro needs more than 100,000,000 bytes of memory|takes longer"),
    "a long text": ("<a b=\"${'x' * 10**7}\"/>", "more than 5,000,000 bytes in the file"),
}


@pytest.mark.parametrize(("content", "message"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_xacro_file_that_computes_long(tmp_path, content, message):
    os.mkfifo(tmp_path / "pipe.xml")
    path = tmp_path / "robot.xacro"
    path.write_text(XACRO.format(content))
    with pytest.raises(tf.RobotError, match=rf"robot\.xacro: {message}"):
        tf.load(path, limits=tf.FileLimits(seconds=1, memory=1e8, bytes=5e6))


ATTACH = '<mujoco model="a{0}"><asset><model name="n" file="a{1}.xml"/></asset><worldbody>{2}</worldbody></mujoco>'


@pytest.mark.slow
def test_models_that_attach_models_that_attach_models(tmp_path):
    for i in range(12):
        copies = (f'<body><joint/><geom size="1"/><attach model="n" prefix="p{k}_"/></body>' for k in range(6))
        (tmp_path / f"a{i}.xml").write_text(ATTACH.format(i, i + 1, "".join(copies)))
    (tmp_path / "a12.xml").write_text(MODEL.format("", ""))
    with pytest.raises(tf.RobotError, match=r"compiler takes longer|compiler needs more"):
        tf.load(tmp_path / "a0.xml")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".par", ".toml", ".urdf", ".xml"])
@pytest.mark.parametrize(
    "unit",
    ["<", "<a>", "<!--", "<a/>", "(*", "a.", "a=", "[", "{", ",", "'", '"', "\\", " ", "\n", "0", "=", "${", '"""'],
)
def test_fifty_megabytes(tmp_path, ending, unit):
    """Any file of 50 MB is done with within 10 s and 1 GB, repetitions of the same piece above all."""
    path = tmp_path / f"robot{ending}"
    path.write_text((unit * (49_999_000 // len(unit))) + "x")
    code = (
        "import re, resource, sys, tauforge as tf\n"
        "try: tf.load(sys.argv[1])\n"
        "except tf.RobotError: pass\n"
        "usage = resource.getrusage(resource.RUSAGE_SELF)\n"
        "own = sys.platform == 'linux'\n"
        "status = open('/proc/self/status').read() if own else f'VmHWM: {usage.ru_maxrss // 1024}'\n"
        "peak = int(re.search(r'VmHWM:\\s*(\\d+)', status)[1])\n"  # in kB; Linux counts the parent's in ru_maxrss
        "assert peak < 1e6 and usage.ru_utime < 10, (peak, usage)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, timeout=60, preexec_fn=_bounded)


def _bounded():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
