# SPDX-License-Identifier: GPL-2.0-or-later
"""docs.py BUILD: TAP. Help, man pages and completion against the tables."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import dump  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
KDELTA = str(BUILD / "src/cli/kdelta")
results = []


def check(name, problems):
    results.append((name, problems))


def run(*argv, **kw):
    return subprocess.run(argv, capture_output=True, text=True, timeout=30,
                          **kw)


def page(name):
    """a man page as plain text"""
    roff = (BUILD / "man" / name).read_text()
    text = re.sub(r"\\f[BIR]", "", roff)
    return re.sub(r"\\(?=[-_.'])", "", text).replace("\\&", "")


def spelled(o):
    return [f"--{o.name}"] + ([f"-{o.letter}"] if o.letter else [])


def help_says(tables):
    bad = []
    for c in tables["command"].values():
        r = run(KDELTA, c.name, "--help")
        again = run(KDELTA, "help", c.name)
        if r.returncode or again.stdout != r.stdout:
            bad.append(f"{c.name} --help: {r.returncode}")
        for o in c.options:
            shown = r.stdout.replace("[no-]", "")
            bad += [f"{c.name} --help lacks {s}" for s in spelled(o)
                    if not re.search(re.escape(s) + r"\b", shown)]
    everything = run(KDELTA, "--help").stdout
    bad += [f"--help lacks {c}" for c in tables["command"]
            if not re.search(rf"^  {c}\b", everything, re.M)]
    return bad


def man_says(tables):
    text = page("kdelta.1")
    bad = []
    for c in tables["command"].values():
        start = text.find(f"kdelta {c.name}", text.find(".SH COMMANDS"))
        if start < 0:
            bad.append(f"kdelta.1 lacks {c.name}")
            continue
        for o in c.options:
            name = "[no-]" + o.name if o.default.startswith("y") \
                and o.type == "bool" else o.name
            if f"--{name}" not in text[start:]:
                bad.append(f"kdelta.1 lacks {c.name} --{name}")
    text = page("kdelta-experiment.5")
    for kind in ("plan", "run", "workload", "observer", "transport"):
        for i in tables[kind].values():
            bad += [f"kdelta-experiment.5 lacks {kind} {i.name} {o.name}"
                    for o in i.options if f"{o.name}: " not in text]
            bad += [f"kdelta-experiment.5 lacks {m.name}" for m in i.metrics
                    if m.name not in text]
    bad += [f"kdelta-experiment.5 lacks knob {k}" for k in tables["knob"]
            if k not in text]
    return bad


def agent_says():
    text = page("kdelta-agent.8")
    agent = BUILD / "src/agent/kdelta-agent"
    if agent.exists():
        shown = run(str(agent), "--help").stdout
    else:
        rows = (ROOT / "src/agent/agent.c").read_text()
        shown = re.sub(r'{ "([a-z-]+)", KD_OPT_', r"--\1 ", rows)
    names = set(re.findall(r"--([a-z][a-z-]*)", shown)) - {"help"}
    known = set(re.findall(r"--([a-z][a-z-]*)", text))
    return [f"kdelta-agent.8 lacks --{n}" for n in sorted(names - known)] + \
        [f"kdelta-agent.8 has --{n}" for n in sorted(known - names)] + \
        ([] if names else ["kdelta-agent --help shows no options"])


COMPLETE = """
. "$1"
shift
COMP_LINE=$1 COMP_POINT=${#1}
IFS=$' \\t\\n'
# as readline does: blanks part words, : and = are words of their own
read -ra COMP_WORDS <<<"$(sed 's/[:=]/ & /g' <<<"$1")"
case $1 in *[[:space:]]) COMP_WORDS+=("") ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_kdelta
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(line):
    r = run("bash", "-c", COMPLETE, "bash",
            str(BUILD / "completions/kdelta.bash"), line, cwd=ROOT)
    return [w for w in r.stdout.splitlines() if w] + \
        ([r.stderr] if r.stderr else [])


def bash_says(tables):
    bad = []

    def want(line, *words):
        got = complete(line)
        bad.extend(f"'{line}' lacks {w}: {got}" for w in words if w not in got)

    def exactly(line, *words):
        got = complete(line)
        if sorted(got) != sorted(words):
            bad.append(f"'{line}' gives {got}")

    want("kdelta ", *tables["command"], "help")
    exactly("kdelta --v", "--version")
    want("kdelta help ", *tables["command"])
    for c in tables["command"].values():
        want(f"kdelta {c.name} --", "--help",
             *(f"--{o.name}" + ("" if o.type == "bool" else "=")
               for o in c.options))
        for o in c.options:
            if o.choices and o.type != "bool":
                want(f"kdelta {c.name} --{o.name}=", *o.choices)
                want(f"kdelta {c.name} --{o.name} ", *o.choices)
    run_command = tables["command"].get("run")
    if run_command and any(o.name == "workload" for o in run_command.options):
        want("kdelta run -w ", *tables["workload"])
        exactly("kdelta run -w tc", "tcp")
        exactly("kdelta run -w tcp:stre", "streams=")
        exactly("kdelta run -w tcp:tx,stre", "tx,streams=")
        exactly("kdelta run --workload=tcp:tx,stre", "tx,streams=")
        exactly("kdelta run -k sysc", "sysctl:")
    return bad


def zsh_says(tables):
    text = (BUILD / "completions/_kdelta").read_text()
    bad = [f"_kdelta lacks {c.name} --{o.name}"
           for c in tables["command"].values() for o in c.options
           if f"--{o.name}" not in text]
    if shutil.which("zsh"):
        r = run("zsh", "-n", str(BUILD / "completions/_kdelta"))
        bad += r.stderr.splitlines()
    return bad


def usage_errors():
    bad = []
    for argv, code, words in (
            ((), 2, "usage: kdelta"),
            (("per",), 2, 'there is no command "per"; did you mean "peer"?'),
            (("--versio",), 2, "there is no option --versio"),
            (("peer", "--http-prt=1"), 2, "did you mean --http-port?"),
            (("peer", "--http-port=x"), 2, "is not a whole number"),
            (("peer", "word"), 2, 'one argument too many: "word"'),
            (("--version",), 0, "")):
        r = run(KDELTA, *argv)
        if r.returncode != code or words not in r.stderr:
            bad.append(f"{argv}: {r.returncode} {r.stderr}")
    return bad


tables = dump.load(KDELTA)
check("help agrees with the tables", help_says(tables))
check("kdelta.1 and kdelta-experiment.5 agree with the tables",
      man_says(tables))
check("kdelta-agent.8 agrees with the agent", agent_says())
check("bash completion agrees with the tables", bash_says(tables))
check("zsh completion agrees with the tables", zsh_says(tables))
check("usage errors exit with 2 and name the nearest word", usage_errors())
print(f"1..{len(results)}")
for n, (name, problems) in enumerate(results, 1):
    for p in problems[:20]:
        print(f"# {p}")
    print(f"{'not ok' if problems else 'ok'} {n} - {name}")
sys.exit(any(p for _, p in results))
