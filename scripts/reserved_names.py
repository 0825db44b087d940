"""Write the names that generated code must not use, language by language, as the languages' own tools tell them.

Run ``python scripts/reserved_names.py`` after ``scripts/install-tools all`` to write
``src/tauforge/targets/reserved/``.
Each file has two lists: ``[names]`` cannot be names of anything in a function, ``[functions]`` cannot be names of
functions besides. Names that no program of ours can have, such as those with a leading underscore, are left out. Lists
of a tool that is not here stay as they are. Mathematica's and Maple's names are those that syntax highlighters list:
highlight.js, which npm fetches, and Pygments.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "tauforge" / "targets" / "reserved"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
Lists = tuple[set[str], set[str]]

C_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
"""
POSIX_HEADERS = """
    aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue net/if netdb
    netinet/in netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn strings sys/ipc sys/mman sys/msg
    sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un
    sys/utsname sys/wait syslog tar termios unistd utime utmpx wordexp
"""
CPP_HEADERS = """
    algorithm any array atomic bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes climits
    clocale cmath compare complex concepts condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
    cstring ctime cuchar cwchar cwctype deque exception execution filesystem forward_list fstream functional future
    initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource mutex
    new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator set shared_mutex span sstream
    stack stdexcept streambuf string string_view system_error thread tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility valarray variant vector version
"""


def run(command: list[str], text: str = "", folder: Path | None = None) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, cwd=folder)
    return done.stdout


def _fails(command: list[str], text: str) -> bool:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).returncode != 0


def ours(names: Iterable[str]) -> set[str]:
    return {name for name in names if NAME.fullmatch(name)}


def included(headers: str, ending: str) -> str:
    """Return the lines that include those of the headers that a compiler has."""
    files = [f"<{header}{ending}>" for header in headers.split()]
    return "".join(f"#if __has_include({file})\n#include {file}\n#endif\n" for file in files)


def macros(compiler: list[str], text: str) -> set[str]:
    """Return the macros that a compiler has after some lines; where a header stops it, of each header by itself."""
    command = [*compiler, "-dM", "-E", "-"]
    pieces = re.findall(r"#if .*\n.*\n#endif\n", text) if _fails(command, text) else [text]
    return ours(x for piece in pieces for x in re.findall(r"^#define (\w+)", run(command, piece), re.MULTILINE))


def declared(compiler: list[str], text: str) -> set[str]:
    """Return the names that stand outside of functions and namespaces after some lines."""
    tree = run([*compiler, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=", "-"], text)
    found: set[str] = set()
    for node in json.loads(tree)["inner"]:
        nodes = [node]
        while nodes:
            one = nodes.pop()
            found.add(one.get("name", ""))
            if one["kind"] in ("LinkageSpecDecl", "EnumDecl"):
                nodes += one.get("inner", ())
    return ours(found)


def exported(library: str) -> set[str]:
    """Return what a library gives new programs; of what only old ones find there, as ``step``, gcc's own names."""
    path = run(["gcc", f"-print-file-name={library}"]).strip()
    names = [line.split()[-1] for line in run(["nm", "-D", "--defined-only", path]).splitlines()]
    new = ours(name.partition("@")[0] for name in names if "@" not in name or "@@" in name)
    old = ours(name.partition("@")[0] for name in names) - new
    text = "".join(f"void {name}(void *, void *);\n" for name in sorted(old))
    said = subprocess.run(
        ["gcc", "-fsyntax-only", "-x", "c", "-"], input=text, capture_output=True, text=True, check=False
    )
    return new | (old & set(re.findall(r"built-in function ['‘](\w+)['’]", said.stderr)))


def c() -> Lists:
    names: set[str] = set()
    compilers = [["gcc"], ["clang"], ["arm-none-eabi-gcc"], ["avr-gcc"]]
    for compiler in (x for x in compilers if shutil.which(x[0])):
        for options in (["-std=c99"], ["-std=gnu17", "-D_GNU_SOURCE"]):
            one = [*compiler, "-x", "c", *options]
            names |= macros(one, included(C_HEADERS + POSIX_HEADERS, ".h"))
    clang = ["clang", "-x", "c", "-std=gnu17", "-D_GNU_SOURCE"]
    functions = declared(clang, included(C_HEADERS + POSIX_HEADERS, ".h"))
    functions |= exported("libc.so.6") | exported("libm.so.6")
    functions |= ours(C_HEADERS.split())  # a header of this name would be read in the place of the library's
    return names, functions


def cpp() -> Lists:
    """Return the macros of C++ that C does not have; all else is in the namespace std."""
    text = included(CPP_HEADERS, "") + included(POSIX_HEADERS, ".h")
    compilers = [[name, "-x", "c++", f"-std={year}"] for name in ("g++", "clang++") for year in ("c++17", "c++20")]
    return set().union(*(macros(compiler, text) for compiler in compilers)) - c()[0], set()


def fortran() -> Lists:
    """Return gfortran's intrinsic procedures, which its compiler names in lower case among its texts."""
    compiler = run(["gfortran", "-print-prog-name=f951"]).strip()
    words = {x.lstrip("_") for x in run(["strings", "-n", "2", compiler]).splitlines()}
    lower = {x for x in words if x == x.lower() and len(x) < 25}
    lower = sorted({x[k:] for x in lower for k in range(len(x) - 2)})  # a text that ends another one is not kept twice
    lower = [x for x in lower if NAME.fullmatch(x)]
    text = "program p\n" + "".join(f"intrinsic :: {x}\n" for x in lower) + "end program\n"
    command = ["gfortran", "-x", "f95", "-std=gnu", "-fmax-errors=0", "-fsyntax-only", "-"]
    said = subprocess.run(command, input=text, capture_output=True, text=True, check=False).stderr
    wrong = {int(line) for line in re.findall(r"^<stdin>:(\d+):", said, re.MULTILINE)}
    return set(), {x for k, x in enumerate(lower, 2) if k not in wrong}


def matlab() -> Lists:
    script = 'printf("%s\\n", iskeyword(){:}); disp(""); printf("%s\\n", __builtins__(){:}, __list_functions__(){:});'
    keywords, _, functions = run(["octave-cli", "--norc", "--quiet", "--eval", script]).partition("\n\n")
    return ours(keywords.split()), ours(functions.split())


def scilab() -> Lists:
    """Return Scilab's permanent variables, and the functions of its libraries and its own."""
    script = """
        mode(-1);
        l = librarieslist();
        for i = 1:size(l, "*"), n = libraryinfo(l(i)); if n <> [], mprintf("function %s\\n", n(:)); end, end
        what();
        a = predef("names");
        mprintf("name %s\\n", a(:));
        exit
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "names.sce").write_text(script, encoding="utf-8")
        text = run(["scilab-cli", "-nb", "-quit", "-f", "names.sce"], folder=Path(folder))
    words = [line.split() for line in text.splitlines()]
    names = {line[1] for line in words if line[:1] == ["name"] and len(line) == 2}
    functions = {x for line in words for x in (line[1:] if line[:1] == ["function"] else line)}
    return ours(names), ours(functions)


def maxima() -> Lists:
    """Return Maxima's symbols that have a value or a rule for setting or reading them, and its functions."""
    marks = {
        "name": "boundp s;assign;sysconst;nud;led;bindtest;evflag;evfun;alias",
        "function": "fboundp s;mexpr;mmacro;mfexpr*;verb;autoload;translated;operators",
    }
    spelled = "(maxima::maybe-invert-string-case (subseq (symbol-name s) 1))"
    told = ""
    for kind, (first, *rest) in ((kind, text.split(";")) for kind, text in marks.items()):
        either = " ".join([f"({first})", *(f"(get s '{x})" for x in rest)])
        told += f'(when (or {either}) (format t "{kind} ~a~%" {spelled}))'
    own = "(and (> (length (symbol-name s)) 1) (char= (char (symbol-name s) 0) #\\$))"
    script = f":lisp (do-symbols (s :maxima) (when {own} {told}))\n"
    lines = [line.split() for line in run(["maxima", "--very-quiet"], script).splitlines()]
    found = {kind: ours(x[1] for x in lines if len(x) == 2 and x[0] == kind) for kind in ("name", "function")}
    return found["name"], found["function"]


def mathematica() -> Lists:
    """Return the symbols of the context System, as highlight.js lists them, and those of Mathics."""
    with tempfile.TemporaryDirectory() as folder:
        run(["npm", "pack", "--silent", "highlight.js"], folder=Path(folder))
        (package,) = Path(folder).glob("*.tgz")
        with tarfile.open(package) as archive:
            member = archive.extractfile("package/lib/languages/mathematica.js")
            assert member is not None
            text = member.read().decode()
    return ours(re.findall(r'"([A-Z$]\w*)"', text)), set()


def maple() -> Lists:
    """Return the keywords of Maple, its constants, and its functions, as Pygments lists them."""
    from pygments.lexers.maple import MapleLexer

    lists = [x for x in vars(MapleLexer).values() if isinstance(x, tuple)]
    keywords = set(lists[0])
    return ours(keywords), ours(x for each in lists for x in each if isinstance(x, str)) - keywords


def java() -> Lists:
    """Return what is a keyword to Java's compiler, and the classes of java.lang."""
    text = run(["jimage", "list", "--include", "regex:/java.base/java/lang/[^/]*.class", _modules()])
    classes = re.findall(r"java/lang/(\w+)\.class", text, re.MULTILINE)
    return set(), ours(classes)


def _modules() -> str:
    return str(Path(shutil.which("javac") or "").resolve().parents[1] / "lib" / "modules")


def csharp() -> Lists:
    """Return the types of the namespace System."""
    source = "class P { static void Main() { foreach (var t in typeof(object).Assembly.GetExportedTypes()) "
    source += 'if (t.Namespace == "System") System.Console.WriteLine(t.Name); } }'
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.cs").write_text(source, encoding="utf-8")
        run(["mcs", "p.cs"], folder=Path(folder))
        return set(), ours(run(["mono", "p.exe"], folder=Path(folder)).split())


def javascript() -> Lists:
    """Return the names of JavaScript's own global objects."""
    return set(), ours(run(["node", "-e", "console.log(Object.getOwnPropertyNames(globalThis).join(' '))"]).split())


LANGUAGES: dict[str, tuple[tuple[str, ...], Callable[[], Lists]]] = {
    "c": (("gcc", "clang"), c),
    "cpp": (("gcc", "clang", "g++", "clang++"), cpp),
    "fortran": (("gfortran",), fortran),
    "matlab": (("octave-cli",), matlab),
    "scilab": (("scilab-cli",), scilab),
    "maxima": (("maxima",), maxima),
    "mathematica": (("npm",), mathematica),
    "maple": ((), maple),
    "java": (("jimage", "javac"), java),
    "csharp": (("mcs", "mono"), csharp),
    "javascript": (("node",), javascript),
}


def main() -> None:
    """Write the files of some languages, by default of all."""
    for language in sys.argv[1:] or LANGUAGES:
        tools, make = LANGUAGES[language]
        if missing := [tool for tool in tools if not shutil.which(tool)]:
            print(f"{language}: not changed, for want of {', '.join(missing)}")
            continue
        names, functions = make()
        assert names | functions, language
        parts = (("names", names), ("functions", functions - names))
        text = "".join(f"[{title}]\n{textwrap.fill(' '.join(sorted(words)), 120)}\n" for title, words in parts)
        (FOLDER / f"{language}.txt").write_text(text, encoding="utf-8")
        print(f"{language}: {len(names)} names, {len(functions - names)} names of functions")


if __name__ == "__main__":
    main()
