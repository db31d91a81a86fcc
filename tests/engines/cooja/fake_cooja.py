# SPDX-License-Identifier: Apache-2.0
"""A program that does on the console, in the log and with its exit status what a plan says, file by file.

The plan is a JSON list in $FAKE_COOJA, a step for each file: a record of record_failures.py, or one with
`then`: "hang" after what it says, "kill" itself, or "log" for ever. Steps are used up across calls; `starts`
beside it counts those.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    plan = Path(os.environ["FAKE_COOJA"])
    with open(plan.with_name("starts"), "a", encoding="ascii") as starts:
        starts.write(f"{os.getpid()} {' '.join(sys.argv[1:])}\n")
    failed = False
    for argument in (each for each in sys.argv[1:] if ".csc" in each):
        file, logdir = argument.split(",logdir=")
        step, *rest = json.loads(plan.read_text(encoding="utf-8"))
        plan.write_text(json.dumps(rest), encoding="utf-8")
        print(f"INFO  [main] [Cooja.java:1145] - Loading {file} random seed: null", flush=True)
        for folder in Path(file).parent.glob("type*"):
            (folder / "build" / "cooja").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / "firmware.cooja", folder / "build" / "cooja" / "mtype7.cooja")
            if "firmware" in step:
                (folder / "build" / "cooja" / "mtype7.cooja").write_text(step["firmware"], encoding="utf-8")
        if "report" in step:
            Path("jvm-crash.txt").write_text("\n".join(step["report"]), encoding="utf-8")
        if step["log"] is not None:
            (Path(logdir) / "COOJA.testlog").write_text(step["log"], encoding="utf-8")
        ended = False
        for line in step["console"]:
            if "- Loading " not in line and "Failed tests:" not in line:
                print(line, flush=True)
            ended = ended or line.startswith(("INFO  [main]", "ERROR [main]")) and "- TEST " in line
            failed = failed or line.startswith("ERROR [main]") and "- TEST " in line
        if step.get("then") == "hang":
            subprocess.run(["sleep", "1000"], check=False)  # a child of its own, as make would be
        if step.get("then") == "log":
            with open(Path(logdir) / "COOJA.testlog", "a", encoding="utf-8") as log:
                while True:
                    log.write("0\tID:1\tfor ever\n" * 1000)
                    log.flush()
                    time.sleep(0.01)
        if step.get("then") == "kill" or not ended and step["status"] == 128 + signal.SIGKILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if not ended:
            if step["status"] > 128:
                os.kill(os.getpid(), step["status"] - 128)
            return step["status"]
        if "exit" in step:
            return step["exit"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
