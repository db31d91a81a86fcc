# SPDX-License-Identifier: Apache-2.0
"""Reading application.yaml: what an application is, and which parameters it has."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from orchestrator import feature, resources
from orchestrator.applications import platform
from orchestrator.applications.eeprom_field import FieldReader
from orchestrator.applications.extension import extensions, undeclared
from orchestrator.applications.model import (
    CONFIGURED,
    PARTS,
    ROUTES,
    Application,
    Course,
)
from orchestrator.errors import NoSuchThing
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import QUANTITIES, Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

FILE = "application.yaml"
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_TYPES = (
    "int",
    "number",
    "bool",
    "choice",
    "motes",
    "text",
    "file",
    *QUANTITIES,
)
_OF_PARAMETERS = ("type", "default", "min", "max", "choices", "build", "help")
_KEYS = {
    "name": Scalar, "summary": Scalar, "roles": Sequence, "control-node": Scalar, "parameters": Mapping,
    "eeprom": Sequence, "starter": Mapping, "success-line": Scalar, "fail-line": Scalar,
    "time-outside": Scalar, "begins": Scalar, "begins-parameter": Scalar, "begins-growth": Scalar,
    "begins-within": Scalar, "begins-within-growth": Scalar, "parts": Mapping, "routes": Scalar,
    "gateways": Scalar,
}  # fmt: skip
# The parts of the scenario written by `init` that an application may define.
STARTER = ("topology", "application", "matrix")
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]{0,63})=([A-Za-z0-9_.,:+-]{0,64})", re.ASCII)
# Variables of Cooja's build contract and of make, which an application's parameter must not set.
_RESERVED = {
    "CC", "LD", "AR", "MAKE", "MAKEFLAGS", "SHELL", "PATH", "LIBNAME", "COOJA_VERSION", "EXTRA_CC_ARGS",
    "TARGET", "CFLAGS", "LDFLAGS", "V",
}  # fmt: skip
_TIME = Parameter("time-outside", "time", 0, 0, 24 * 3_600_000_000)


def folder() -> Path:
    """Return the folder in which applications are looked for by name."""
    return resources.contiki_apps() / "apps"


def names() -> list[str]:
    """Return the applications that are here."""
    return sorted(path.parent.name for path in folder().glob(f"*/{FILE}"))


def file(name_or_path: str | Path) -> Path:
    """Return the path of an application's descriptor, whether it exists or not."""
    if isinstance(name_or_path, str) and NAME.fullmatch(name_or_path):
        return folder() / name_or_path / FILE
    path = Path(name_or_path)
    return path / FILE if path.is_dir() else path


def load(name_or_path: str | Path) -> Application:
    """Return an application by its name, or by the path of its folder or application.yaml.

    Raises NoSuchThing if it is not there and FaultyInput with every fault of its descriptor.
    """
    path = file(name_or_path)
    if not path.is_file():
        known = names()
        raise NoSuchThing(
            f"no application named {str(name_or_path)!r}; {did_you_mean(str(name_or_path), known)}"
        )
    known = path.stat()
    return _read(path, known.st_mtime_ns, known.st_ctime_ns, known.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int, _noted_ns: int, _size: int) -> Application:
    """Read a descriptor once for as long as the file stays the same, because every scenario names one."""
    faults = Faults(str(path))
    text = document.decode(path.read_bytes(), faults)
    root = document.parse(text, faults) if text is not None else None
    application = None
    if isinstance(root, Mapping):
        application = _Reader(root, path, faults).application()
    elif not len(faults):
        faults.add(
            1, "the file does not describe an application", "it starts with `name:`, `summary:`, `roles:`"
        )
    faults.raise_any()
    return application


class _Reader:
    def __init__(self, root: Mapping, path: Path, faults: Faults):
        self.root, self.path, self.faults = root, path, faults
        self.build: dict[str, dict[str, dict[str, str]]] = {}

    def sections(self) -> dict[str, Node]:
        """Return the file's entries by key; those that are unknown, of another kind or missing are noted."""
        sections: dict[str, Node] = {}
        keys = _KEYS | {key: Scalar for extension in extensions() for key in extension.keys}
        for key, value in self.root:
            if key.text not in keys:
                self.faults.add(key.line, f"{short(key.text)} is unknown", did_you_mean(key.text, keys))
            elif not isinstance(value, keys[key.text]):
                wrong_kind(value, key.text, f"write {KINDS[keys[key.text]]}", self.faults)
            else:
                sections[key.text] = value
        for needed in ("name", "roles"):
            if self.root.get(needed) is None:
                self.faults.add(self.root.line, f"no {needed}", f"add `{needed}:`")
        return sections

    def parameters(self, sections: dict[str, Node]) -> dict[str, Parameter]:
        """Return the declared parameters, and the additional ones of every application and of this one."""
        parameters = {
            key.text: declared
            for key, value in self.pairs(sections.get("parameters"))
            if (declared := self.parameter(key, value)) is not None
        }
        for name, declared in platform.PARAMETERS.items():
            if name not in parameters:  # an application may have its own parameter of that name
                parameters[name] = declared
                self.build[name] = platform.BUILD[name]
        named = sections.get("name")
        if named is not None:
            parameters |= {
                name: each for name, each in undeclared(named.text).items() if name not in parameters
            }
        return parameters

    def application(self) -> Application:
        sections = self.sections()
        parameters = self.parameters(sections)
        control = sections.get("control-node")
        declared = Application(
            name=self.name(sections.get("name")),
            file=self.path,
            summary=self.line(sections, "summary") or "",
            roles=self.roles(sections.get("roles")),
            control_node=bool(
                control
                and check(Parameter("control-node", "bool", False), control, "control-node", self.faults)
            ),
            parameters=parameters,
            eeprom=(),
            build=self.build,
            starter=self.starter(sections.get("starter")),
            success_line=self.line(sections, "success-line"),
            fail_line=self.line(sections, "fail-line"),
            course=self.course(sections, parameters),
            gateways=self.gateways(sections.get("gateways")),
            keys=self.keys(sections, parameters),
            parts=self.parts(sections.get("parts"), parameters),
            routes=self.routes(sections.get("routes")),
        )
        items = sections["eeprom"].items if "eeprom" in sections else ()
        reader = FieldReader(self.faults)
        fields = [field for item in items if (field := reader.field(item, declared)) is not None]
        return Application(**{**vars(declared), "eeprom": tuple(fields)})

    def pairs(self, node: Node | None):
        return node if isinstance(node, Mapping) else ()

    def name(self, node: Node | None) -> str:
        if node is None:
            return ""
        if not NAME.fullmatch(node.text):
            self.faults.add(
                node.line,
                f"{short(node.text)} is not a valid name",
                "use a letter, then letters, digits and `-`, lower case",
            )
        elif node.text != self.path.resolve().parent.name:
            self.faults.add(
                node.line,
                f"name is {node.text}, its folder is {self.path.resolve().parent.name}",
                "make them equal",
            )
        return node.text

    def roles(self, node: Node | None) -> tuple[str, ...]:
        all_roles = []
        for item in node.items if isinstance(node, Sequence) else ():
            if not isinstance(item, Scalar) or not NAME.fullmatch(item.text):
                self.faults.add(item.line, "a role is not a word", "use letters, digits and `-`, lower case")
            else:
                all_roles.append(item.text)
        if isinstance(node, Sequence) and not all_roles:
            self.faults.add(node.line, "no roles", "list them: [subscriber, publisher]")
        return tuple(all_roles)

    def gateways(self, node: Node | None) -> str:
        kinds = feature.named("partners")
        if node is None or node.text in kinds:
            return node.text if node is not None else ""
        what = f"gateways: {short(node.text)} is unknown"
        self.faults.add(node.line, what, did_you_mean(node.text, kinds))
        return ""

    def keys(self, sections: dict[str, Node], parameters: dict[str, Parameter]) -> dict[str, str]:
        """Return the values of the keys that features declare."""
        return {
            key: extension.check_key(key, sections.get(key), self.root.line, parameters, self.faults)
            for extension in extensions()
            for key in extension.keys
        }

    def parts(self, node: Node | None, parameters: dict[str, Parameter]) -> dict[str, str]:
        lists = [name for name, declared in parameters.items() if declared.type == "motes"]
        parts_ = {}
        for key, value in self.pairs(node):
            if key.text not in PARTS:
                self.faults.add(
                    key.line,
                    f"{short(key.text)} is not a role that a mote can have",
                    did_you_mean(key.text, PARTS),
                )
            elif not isinstance(value, Scalar) or value.text not in lists:
                named = value.text if isinstance(value, Scalar) else ""
                self.faults.add(
                    value.line,
                    f"parts: {short(named)} is not a parameter of type motes",
                    did_you_mean(named, lists),
                )
            else:
                parts_[key.text] = value.text
        return parts_

    def routes(self, node: Node | None) -> str:
        return (
            check(Parameter("routes", "choice", CONFIGURED, choices=ROUTES), node, "routes", self.faults)
            if node
            else None
        ) or CONFIGURED

    def starter(self, node: Node | None) -> dict[str, str]:
        """Return the parts of a starter scenario that are this application's own, as text of YAML."""
        parts = {}
        for key, value in self.pairs(node):
            if key.text not in STARTER:
                self.faults.add(
                    key.line, f"starter: {short(key.text)} is unknown", did_you_mean(key.text, STARTER)
                )
            elif not isinstance(value, Scalar):
                wrong_kind(value, f"starter: {key.text}", "write its YAML as a text, after `|`", self.faults)
            else:
                parts[key.text] = value.text.rstrip("\n")
        return parts

    def line(self, sections: dict[str, Node], key: str) -> str | None:
        node = sections.get(key)
        if node is None:
            return None
        return check(Parameter(key, "text", "text"), node, key, self.faults)

    def course(self, sections: dict[str, Node], parameters: dict[str, Parameter]) -> Course:
        node = sections.get("begins-parameter")
        if node is not None and getattr(parameters.get(node.text), "type", None) != "time":
            times = [name for name, declared in parameters.items() if declared.type == "time"]
            self.faults.add(
                node.line,
                f"begins-parameter: {short(node.text)} is not a parameter of type time",
                did_you_mean(node.text, times) if times else "declare one, or leave it out",
            )
        return Course(node.text if node is not None else None, *(
            self.time(sections, key)
            for key in ("begins", "begins-growth", "begins-within", "begins-within-growth", "time-outside")
        ))  # fmt: skip

    def time(self, sections: dict[str, Node], key: str) -> int:
        node = sections.get(key)
        return (check(_TIME, node, key, self.faults) if node else 0) or 0

    def parameter(self, key: Scalar, node: Node) -> Parameter | None:
        path = f"parameter {key.text}"
        before = len(self.faults)
        if not NAME.fullmatch(key.text) or key.text == "name":
            invalid = f"{short(key.text)} is not a valid name for a parameter"
            self.faults.add(key.line, invalid, "use letters, digits and `-`, not `name`")
            return None
        types = (*_TYPES, *feature.named("parameter_types"))
        if not isinstance(node, Mapping) or not isinstance(node.get("type"), Scalar):
            self.faults.add(node.line, f"{path} has no type", f"add `type:`, one of {', '.join(types)}")
            return None
        kind = node.get("type").text
        if kind not in types:
            self.faults.add(
                node.get("type").line,
                f"{path}: type {short(kind)} is unknown",
                did_you_mean(kind, types),
            )
            return None
        for word, _ in node:
            if word.text not in _OF_PARAMETERS:
                unknown = f"{path}: {short(word.text)} is unknown"
                self.faults.add(word.line, unknown, did_you_mean(word.text, _OF_PARAMETERS))
        choices = self.choices(node, kind, path)
        # Without choices (noted) any default will do, so that one fault makes one message.
        bare = Parameter(key.text, "text" if kind == "choice" and not choices else kind, choices=choices)
        limit = {
            word: check(bare, value, f"{path}: {word}", self.faults)
            for word in ("min", "max", "default")
            if (value := node.get(word)) is not None
            and not (kind in ("choice", "bool") and word != "default")
        }
        help_node = node.get("help")
        help_text = help_node.text if isinstance(help_node, Scalar) else ""
        declared = Parameter(
            key.text, kind, limit.get("default"), limit.get("min"), limit.get("max"), choices, help_text
        )
        if len(self.faults) == before and declared.default is not None:
            check(declared, node.get("default"), f"{path}: default", self.faults)
        if node.get("build") is not None:
            self.build[key.text] = self.builds(declared, node.get("build"), path)
        return declared

    def choices(self, node: Mapping, kind: str, path: str) -> tuple[str, ...]:
        listed = node.get("choices")
        if kind != "choice":
            if listed is not None:
                self.faults.add(
                    listed.line, f"{path} has choices and is of type {kind}", "use `type: choice`"
                )
            return ()
        if not isinstance(listed, Sequence) or not listed.items:
            self.faults.add(node.line, f"{path} has no choices", "add `choices: [one, another]`")
            return ()
        return tuple(item.text for item in listed.items if isinstance(item, Scalar) and item.text)

    def builds(self, declared: Parameter, node: Node, path: str) -> dict[str, dict[str, str]]:
        words = (
            declared.choices
            if declared.type == "choice"
            else ("false", "true")
            if declared.type == "bool"
            else ()
        )
        if not words:
            self.faults.add(
                node.line, f"{path}: only a choice or a bool can have `build`", "make it a choice"
            )
            return {}
        if not isinstance(node, Mapping):
            self.faults.add(
                node.line, f"{path}: build is not a mapping", f'write {{{words[0]}: "NAME=value", ...}}'
            )
            return {}
        builds_: dict[str, dict[str, str]] = {}
        for key, value in node:
            if key.text not in words:
                self.faults.add(
                    key.line, f"{path}: build of {short(key.text)}", did_you_mean(key.text, words)
                )
            else:
                builds_[key.text] = self.variables(value, path)
        missing = [word for word in words if word not in builds_]
        if missing:
            self.faults.add(
                node.line, f"{path}: no build for {', '.join(missing)}", 'add it; "" sets nothing'
            )
        return builds_

    def variables(self, node: Node, path: str) -> dict[str, str]:
        all_variables = {}
        for word in node.text.split() if isinstance(node, Scalar) else [""]:
            matched = _VARIABLE.fullmatch(word)
            if matched is None:
                self.faults.add(
                    node.line,
                    f"{path}: {short(word)} is not a make variable",
                    'write "NAME=value", letters and digits',
                )
            elif matched[1] in _RESERVED:
                self.faults.add(
                    node.line,
                    f"{path}: {matched[1]} belongs to the build itself",
                    "use a name of the application's",
                )
            else:
                all_variables[matched[1]] = matched[2]
        return all_variables
