# SPDX-License-Identifier: Apache-2.0
"""The metadata of an artifact as an RO-Crate: contents, authors and programs.

The form is that of Soiland-Reyes et al. (2022), Packaging research artefacts with RO-Crate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.model.person import Person
from rocrate.rocrate import ROCrate

from orchestrator import __version__
from orchestrator.features.export.citation import About, Author
from orchestrator.features.export.contents import STORE, Chosen
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.store import CAMPAIGNS, FIRMWARE
from orchestrator.words import counted, enumerated

FILE = "ro-crate-metadata.json"
VERSION = "1.1"
FILES = {  # the files of every artifact, with description and media type
    "README.md": ("How to run this artifact again and check it", "text/markdown"),
    "LICENSE": ("The licence of the data, and of the firmware's sources", "text/plain"),
    "CITATION.cff": ("How to cite this artifact", "application/yaml"),
    "versions.json": ("Versions of the programs that made the runs and packed them", "application/json"),
    "requirements.txt": ("Python packages that were installed when it was packed", "text/plain"),
    "checksums.sha256": ("SHA-256 of every other file", "text/plain"),
}
_KINDS = {".yaml": "application/yaml", ".html": "text/html", ".json": "application/json"}


def metadata(about: About, chosen: Chosen, date: str, paths: Sequence[str]) -> bytes:
    """Return ro-crate-metadata.json; `paths`: the files of the artifact."""
    crate = ROCrate(version=VERSION)
    root = crate.root_dataset
    root["name"] = about.title
    root["datePublished"] = date
    root["description"] = (
        f"{counted(chosen.count, 'run')} of {enumerated(sorted(chosen.runs))}: manifests, .csc files and "
        "logs, with the scenarios, the sources of the firmware, metrics and reports. README.md has the "
        "command that makes the runs again and compares every byte."
    )
    root["license"] = _add(
        crate,
        f"https://spdx.org/licenses/{about.licence}",
        {"@type": "CreativeWork", "name": about.licence, "identifier": about.licence},
    )
    root["author"] = [crate.add(_person(crate, author)) for author in about.authors]
    tool = _add(
        crate,
        "#orchestrate",
        {
            "@type": "SoftwareApplication",
            "name": "orchestrate",
            "softwareVersion": ", ".join(sorted({run.orchestrate for run in chosen.all()} | {__version__})),
            "description": "Cooja/Contiki co-simulation orchestrator for publish/subscribe middleware",
        },
    )
    there = set(paths)
    for name, (what, kind) in FILES.items():
        crate.add_file(dest_path=name, properties={"name": what, "encodingFormat": kind})
    actions = [_experiment(crate, name, chosen, there, tool) for name in sorted(chosen.runs)]
    if any(path.startswith(f"{STORE}/{FIRMWARE}/") for path in there):
        _folder(crate, f"{STORE}/{FIRMWARE}/", "Sources and descriptions of the firmware, by their digests")
    for name in chosen.campaigns:
        _folder(
            crate, f"{STORE}/{CAMPAIGNS}/{name}/", f"Rounds, baselines and verdicts of the campaign {name}"
        )
    root["mentions"] = actions
    graph = crate.metadata.generate()
    return (json.dumps(graph, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _person(crate: ROCrate, author: Author) -> Person:
    properties = {"name": author.name}
    if author.given:
        properties |= {"givenName": author.given, "familyName": author.family}
    if author.email:
        properties["email"] = author.email
    return Person(crate, author.orcid or f"#{quote(author.name.replace(' ', '-'))}", properties)


def _experiment(crate: ROCrate, name: str, chosen: Chosen, there: set[str], tool: Entity) -> Entity:
    runs = chosen.runs[name]
    prefix = f"{STORE}/{name}/"
    cells = list(dict.fromkeys(run.cell for run in runs))
    folder = _folder(
        crate,
        f"{prefix}runs/",
        f"{counted(len(runs), 'run')} of {name} in {counted(len(cells), 'cell')}: {', '.join(cells)}",
    )
    described = []
    for path, what in (
        (f"{prefix}{run_lists.SCENARIO}", f"Scenario of {name}"),
        (f"{prefix}{run_lists.FILE}", f"Ids of the runs of {name}"),
        (f"{prefix}report/index.html", f"Report on {name}"),
    ):
        if path in there:
            kind = _KINDS[path[path.rindex(".") :]]
            described.append(
                crate.add_file(dest_path=path, properties={"name": what, "encodingFormat": kind})
            )
    if any(path.startswith(f"{prefix}metrics/") for path in there):
        by = f", computed by {chosen.engines[name]}" if name in chosen.engines else ""
        _folder(crate, f"{prefix}metrics/", f"Metrics of {name}, by run and by cell (Parquet){by}")
    return _add(
        crate,
        f"#simulation-of-{name}",
        {
            "@type": "CreateAction",
            "name": f"Simulation of {name}",
            "instrument": tool,
            "object": described[:1],
            "result": folder,
            "startTime": min(run.started for run in runs),
            "endTime": max(run.finished for run in runs),
        },
    )


def _folder(crate: ROCrate, path: str, what: str) -> Entity:
    return crate.add_dataset(dest_path=path, properties={"name": what})


def _add(crate: ROCrate, identifier: str, properties: Mapping) -> Entity:
    plain = {name: value for name, value in properties.items() if not _entities(value)}
    entity = crate.add(ContextEntity(crate, identifier, properties=plain))
    for name, value in properties.items():
        if _entities(value):
            entity[name] = value
    return entity


def _entities(value: object) -> bool:
    return isinstance(value, Entity) or (isinstance(value, list) and any(map(_entities, value)))
