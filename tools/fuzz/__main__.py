# SPDX-License-Identifier: Apache-2.0
"""python -m tools.fuzz [TARGET ...] [--seconds N]: a coverage-guided session (atheris, libFuzzer) of each
target.

An input that breaks its target is written to build/fuzz/TARGET/; put it into tests/fuzz/finds/TARGET/ with a
name that says what it is, and mend the code. What was covered stays in build/fuzz/TARGET/corpus for the next
session.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys

from tools.fuzz import ROOT

WORDS = {
    "scenario": (
        "experiment",
        "topology",
        "shape",
        "chain",
        "tree",
        "grid",
        "mesh",
        "star",
        "random-geometric",
        "figure-2",
        "publishers",
        "spacing",
        "radio",
        "medium",
        "udgm",
        "constant-loss",
        "directed-graph",
        "range",
        "interference",
        "application",
        "name",
        "aggregation",
        "pubsub-hello",
        "rate",
        "high",
        "delay",
        "duration",
        "drain",
        "start-delay",
        "seeds",
        "1..30",
        "engine",
        "embedded",
        "rules",
        "2026.07",
        "trace",
        "true",
        "matrix",
        "label",
        "exclude",
        "include",
        " min",
        " ms",
        " s",
        " m",
        " %",
        "links",
        "!!int",
        "&a",
        "*a",
        "<<",
        "? ",
        "- ",
        "|",
        ">",
    ),
    "csc": (),
    "policy": (),
    "log": (
        "\\x09ID:",
        "Random seed: ",
        "TEST OK",
        "TEST FAILED",
        "Test ended at simulation time: ",
        "!node,",
        "!run,",
        "!cnt,",
        "!from,",
        "!agg,",
        "!dly,",
        "!nrg,",
        "!pub,",
        "!snd,",
        "!rcv,",
        "!drp,",
        "!mrg,",
        "!fwd,",
        "!dlv,",
        "!thr,",
        "!nts,",
        "!sch,",
        "!bpb,",
        "!ntf,",
        "idle",
        "start",
        "merged",
        "packets_sent",
        "1.2+3.4",
        "9223372036854775807",
        "2147483648",
        "\\x0d\\x0a",
        "\\xef\\xbb\\xbf",
        "\\xd9\\xa1",
    ),
}
MOST_BYTES = {"scenario": 4000, "csc": 20000, "log": 1000}


def session(target: str, seconds: int) -> None:
    """Fuzzes one target in this process, which libFuzzer ends."""
    import atheris

    os.environ["POLARS_MAX_THREADS"] = "1"  # else its threads cost more than the inputs
    with atheris.instrument_imports(include=["orchestrator", "orchestrate_spark"]):
        from tools.fuzz import targets
    folder = ROOT / "build" / "fuzz" / target
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for path in (*targets.seeds(target), *targets.finds(target)):
        shutil.copyfile(path, corpus / f"{path.parent.name}-{path.name}")
    if target == "log":
        from synthetic import Chain, log_lines

        from tests import threaded_log

        lines = list(log_lines(Chain("A", 3, True, 4, trace=True), 1))
        lines += threaded_log.log({1: threaded_log.mote(5)}).decode().splitlines()
        for start in range(0, len(lines), 5):  # short logs: some hundred inputs a second
            (corpus / f"chain-{start}").write_text("\n".join(lines[start : start + 5]) + "\n")
    words = WORDS[target] or _words(targets.seeds(target))
    dictionary = folder / "words"
    dictionary.write_text("".join(f'"{word}"\n' for word in words))
    atheris.Setup(
        [
            "fuzz",
            str(corpus),
            f"-max_total_time={seconds}",
            f"-dict={dictionary}",
            f"-artifact_prefix={folder}/",
            f"-max_len={MOST_BYTES[target]}",
            "-timeout=20",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-verbosity=1",
        ],
        targets.TARGETS[target],
    )
    atheris.Fuzz()


def _words(paths) -> list[str]:
    """Elements, attributes and class names of XML files."""
    texts = "".join(path.read_text(encoding="utf-8") for path in paths)
    return sorted(set(re.findall(r"</?\w+>|org\.contikios[\w.$]+", texts)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="of scenario, csc and log (default: all)"
    )
    parser.add_argument("--seconds", type=int, default=240, help="of each session (default: 240)")
    args = parser.parse_args()
    if unknown := set(args.targets) - set(WORDS):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are: {', '.join(WORDS)}")
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("the fuzzer atheris is not installed: pip install -e '.[fuzz]'", file=sys.stderr)
        return 5
    broken = []
    for target in args.targets or WORDS:
        print(f"--- {target}: {args.seconds} s", flush=True)
        child = os.fork()
        if child == 0:
            session(target, args.seconds)
        if os.waitpid(child, 0)[1] != 0:
            broken.append(target)
    if broken:
        print(f"found something in: {', '.join(broken)}; the inputs are in build/fuzz", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
