#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""generate.py bash|zsh PROGRAM: shell completion from the option tables."""
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
import dump  # noqa: E402

# what an option's value is, by the option's name or the value's
BY_NAME = {
    "workload": "workload", "knob": "knob", "observe": "observer",
    "dut": "transport", "peer": "transport", "report": "report",
}
# commands that read logs: there a format is that of a log, else of a report
READERS = {"compare", "import"}
FILES = {"FILE", "PATH"}
FOLDERS = {"DIR"}


def value_kind(command, option):
    if option.name == "format":
        return "import" if command.name in READERS else "report"
    if option.name in BY_NAME:
        return BY_NAME[option.name]
    if option.arg in FILES:
        return "file"
    if option.arg in FOLDERS:
        return "folder"
    return "words" if option.choices else ""


def takes_files(command):
    return "FILE" in command.usage or "DIR" in command.usage


def workload_words(tables, item):
    """"tx rx streams= time=": what may follow "tcp:" """
    words = []
    names = set()
    for o in item.options + tables["run"]["run"].options:
        if o.name in names:
            continue
        names.add(o.name)
        if "word" in o.flags:
            words += o.choices
        words.append(o.name if o.type == "bool" else o.name + "=")
    return words


def case(name, rows):
    """a bash function that prints words by its argument"""
    out = [f"{name}()", "{", '\tcase "$1" in']
    for key, words in rows:
        if words:
            out.append(f"\t{shlex.quote(key)}) echo {shlex.quote(' '.join(words))} ;;")
    out += ["\tesac", "}", ""]
    return out


def option_words(command):
    words = ["-h", "--help"]
    for o in command.options:
        words.append(f"--{o.name}" if o.type == "bool" else f"--{o.name}=")
        if o.type == "bool" and o.default.startswith("y"):
            words.append(f"--no-{o.name}")
        if o.letter:
            words.append(f"-{o.letter}")
    return words


def bash(tables):
    commands = tables["command"].values()
    out = ["# bash completion of kdelta; generated from its option tables", ""]
    out += case("_kdelta_options", [(c.name, option_words(c)) for c in commands])
    kinds, choices = [], []
    for c in commands:
        for o in c.options:
            if o.type == "bool":
                continue
            for flag in [f"--{o.name}"] + ([f"-{o.letter}"] if o.letter else []):
                kinds.append((f"{c.name} {flag}", [value_kind(c, o) or "text"]))
                choices.append((f"{c.name} {flag}", o.choices))
    out += case("_kdelta_value", kinds)
    out += case("_kdelta_choices", choices)
    out += case("_kdelta_names", [
        ("command", [c.name for c in commands] + ["help"]),
        ("workload", list(tables["workload"])),
        ("observer", list(tables["observer"])),
        ("knob", [k + ":" for k in tables["knob"]] + ["workload:"]),
        ("transport", list(tables["transport"])),
        ("report", list(tables["report"])),
        ("import", list(tables["import"])),
    ])
    out += case("_kdelta_workload", [
        (w.name, workload_words(tables, w)) for w in tables["workload"].values()])
    out += case("_kdelta_files", [
        (c.name, ["yes"]) for c in commands if takes_files(c)])
    out.append(pathlib.Path(__file__).with_name("kdelta.bash.in").read_text())
    return out


def zsh_quote(text):
    for c in "\\[]:":
        text = text.replace(c, "\\" + c)
    return text.replace("'", "'\\''")


def zsh_action(tables, c, o):
    kind = value_kind(c, o)
    if kind == "words":
        return f"({' '.join(o.choices)})"
    if kind == "file":
        return "_files"
    if kind == "folder":
        return "_files -/"
    if kind == "knob":
        kinds = [k + "\\:" for k in tables["knob"]]
        return f"({' '.join(kinds)} workload\\:)"
    if kind:
        return f"({' '.join(tables[kind])})"
    return ""


def zsh_option(tables, c, o):
    help_ = zsh_quote(o.help)
    many = "*" if "repeat" in o.flags else ""
    out = []
    if o.type == "bool":
        names = [f"--{o.name}"]
        if o.default.startswith("y"):
            names.append(f"--no-{o.name}")
        if o.letter:
            names.append(f"-{o.letter}")
        return [f"'{many}{n}[{help_}]'" for n in names]
    action = f":{zsh_quote(o.arg)}:{zsh_action(tables, c, o)}"
    out.append(f"'{many}--{o.name}=[{help_}]{action}'")
    if o.letter:
        out.append(f"'{many}-{o.letter}+[{help_}]{action}'")
    return out


def zsh(tables):
    out = ["#compdef kdelta",
           "# zsh completion of kdelta; generated from its option tables", "",
           "_kdelta() {", "\tlocal curcontext=$curcontext state line",
           "\tlocal -a commands", "\tcommands=("]
    for c in tables["command"].values():
        out.append(f"\t\t'{c.name}:{zsh_quote(c.summary)}'")
    out += ["\t\t'help:how a command is used'", "\t)",
            "\t_arguments -C '(- *)--version[print the version]' \\",
            "\t\t'(- *)'{-h,--help}'[print help]' \\",
            "\t\t'1:command:->command' '*::argument:->argument'",
            "\tcase $state in",
            "\tcommand) _describe command commands ;;",
            "\targument)", "\t\tcase $words[1] in",
            "\t\thelp) _describe command commands ;;"]
    for c in tables["command"].values():
        out.append(f"\t\t{c.name})")
        out.append("\t\t\t_arguments -s \\")
        for o in c.options:
            out += [f"\t\t\t\t{s} \\" for s in zsh_option(tables, c, o)]
        out.append("\t\t\t\t'(- *)'{-h,--help}'[print help]' \\")
        rest = "_files" if takes_files(c) else ""
        out.append(f"\t\t\t\t'*:{zsh_quote(c.usage or 'argument')}:{rest}'")
        out.append("\t\t\t;;")
    out += ["\t\tesac", "\t\t;;", "\tesac", "}", "", '_kdelta "$@"']
    return out


def main():
    shell, program = sys.argv[1:]
    print("\n".join({"bash": bash, "zsh": zsh}[shell](dump.load(program))))


main()
