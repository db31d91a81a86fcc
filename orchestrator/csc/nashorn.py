# SPDX-License-Identifier: Apache-2.0
"""Differences between Nashorn, Cooja's JavaScript interpreter (--language=es6), and our interpreter.

Nashorn has a part of ES6. Syntax that it refuses is named with its place (`Reading.refused`). Syntax that
only Nashorn has is rewritten in place, on the same line, if JavaScript can express it; otherwise it is named,
too (`Reading.beyond`). All of this was found by running scripts in Nashorn 15.4;
tests/engines/nashorn_cases.txt holds the results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.csc.nashorn_calls import calls
from orchestrator.csc.syntax import tree, walk

if TYPE_CHECKING:
    from tree_sitter import Node

# Nodes of the syntax tree that Nashorn refuses, and what they are called.
_REFUSED = {
    "spread_element": "spread (...)",
    "rest_pattern": "a rest parameter (...)",
    "array_pattern": "destructuring",
    "object_pattern": "destructuring",
    "class_declaration": "class",
    "class": "class",
    "yield_expression": "a generator",
    "generator_function_declaration": "a generator",
    "generator_function": "a generator",
    "await_expression": "await",
    "optional_chain": "the operator ?.",
    "import_statement": "import",
    "import": "import",
    "export_statement": "export",
    "html_comment": "a comment of HTML",
    "hash_bang_line": "#!",
    "private_property_identifier": "a private name",
    "decorator": "a decorator",
}
_OPERATORS = frozenset(["**", "**=", "??", "??=", "||=", "&&="])
_QUOTED = frozenset(["string", "template_string", "regex", "comment"])
_FUNCTIONS = frozenset(["function_declaration", "function_expression", "arrow_function", "method_definition"])
# Names that only Nashorn has, so scripts may use them only there.
_BEYOND = {"meta_property": "new.target", "with_statement": "with"}
_BEYOND_NAMES = frozenset(
    """
    __noSuchMethod__ __noSuchProperty__ __FILE__ __LINE__ __DIR__ lineNumber columnNumber fileName stack
    lastMatch lastParen leftContext rightContext captureStackTrace dumpStack printStackTrace getStackTrace
    bindProperties toSource callee caller Shutdown
    """.split()
)
_TYPOGRAPHIC = re.compile("[\u2018-\u201f\u00ab\u00bb\u2039\u203a]")  # of word processors and pages
_EACH = re.compile(r"(\bfor\s+)each(\s*\()")
_ODD_NUMBER = re.compile(r"_|n$")
_LONGS = re.compile(
    r"\b(?:nextLong|getRandomSeed|longValue|randomSeed|getInt64ValueOf|getLongValueOf)\b"
)  # what may be a Java long beyond a double's 53 bits
_ARRAYS = re.compile(
    r"\b(?:getMotes|motes|getMoteTypes|moteTypes)\b"
)  # Java's, whose places are numbers in `for in`
STORED = re.compile(
    r"^[\w.$]+(?:\(\))?$|\b(?:time|next\w+|get\w+)\b"
)  # what may be a long: a name, or one of Java's
_ACTS = re.compile(r"\+\+|--|=|\b(?!get[A-Z])\w+\(")  # what must not happen twice: a getter's call may
# Texts that are numbers, or white space, there or here alone: a conversion that is not called by name can't
# be imitated.
_ODD_TEXT = re.compile(r"\s*(?:0[bB][01]+|0[oO][0-7]+|[+-]0[xX][0-9a-fA-F]+)\s*")
_ODD_SPACE = re.compile(r"\u180e|\\u180[eE]")
# Syntax that Nashorn reads and tree-sitter doesn't: Mozilla's JavaScript.
_MOZILLAS = {
    "catch(e if ...), for which JavaScript has catch(e) { if(...) ... else throw e; }": re.compile(
        r"\bcatch\s*\(\s*[\w$]+\s+if\b"
    ),
    "a function without braces, for which JavaScript has function(x) { return ...; }": re.compile(
        r"\bfunction\b\s*[\w$]*\s*\([^()]*\)\s*(?![\s{])"
    ),
}
_NEWER_NAME = re.compile(r"\b(await|yield)\s*(?:[=+\-*/)\];,.<>?]|$)", re.MULTILINE)
_NO_FLAG = re.compile("[^gim]")
_NO_GROUP = re.compile(r"(?<!\\)\(\?(?![:=!])")


@dataclass(frozen=True)
class Reading:
    """A script made ready; `code`: the script for our interpreter, every line where it was.

    (line of the code, from 0; what) is refused by Nashorn, or beyond what can be imitated. `calls`: for
    `line:column` of a call, from 1, what Nashorn's errors name it. `odd`: the parser found an error; whether
    it is one to Nashorn, the interpreter says.
    """

    code: str
    refused: tuple[tuple[int, str], ...]
    beyond: tuple[tuple[int, str], ...]
    calls: dict[str, str]
    odd: bool


def read(code: str) -> Reading:
    """`code`: after Cooja's textual replacements."""
    plain = _EACH.sub(r"\1    \2", code)
    source = _Source(plain, [match.end(1) for match in _EACH.finditer(code)])
    adapted = source.adapted()
    return Reading(
        adapted,
        tuple(sorted(source.refused)),
        tuple(sorted(source.beyond)),
        {} if source.refused else calls(adapted),
        source.odd,
    )


class _Source:
    """One script's tree, walked once."""

    def __init__(self, code: str, eachs: list[int]):
        self.text = code.encode("utf-8", "surrogatepass")
        self.refused: set[tuple[int, str]] = set()
        self.beyond: set[tuple[int, str]] = set()
        self._edits: list[tuple[int, int, str]] = []  # at a byte, in which order there, what is put in
        self._cut: list[tuple[int, int]] = []  # bytes that are left out
        self._eachs = {len(code[:at].encode("utf-8", "surrogatepass")) for at in eachs}
        self._longs, self._arrays = bool(_LONGS.search(code)), bool(_ARRAYS.search(code))
        root = tree(self.text)
        self._nodes = list(walk(root))
        assigned = {
            self._said_of(node, "left")
            for node in self._nodes
            if node.type in ("assignment_expression", "augmented_assignment_expression")
        }
        assigned |= {
            self._said_of(node, "name") for node in self._nodes if node.type == "variable_declarator"
        }
        self._own_id = "id" in assigned
        for node in self._nodes:
            self._see(node)
        self.odd = root.has_error
        if self.odd:  # the interpreter reports all other faults; Nashorn alone may read it
            self.refused.clear()
            self._see_mozillas(code)
        self._see_typographic_quotes(code)
        self._see_newer_names(code)

    def adapted(self) -> str:
        text, at, parts = self.text, 0, []
        changes = [(begin, order, begin, put) for begin, order, put in self._edits]
        changes += [(begin, 1 << 30, end, "") for begin, end in self._cut]
        for begin, _, end, put in sorted(changes):
            parts += [text[at:begin], put.encode()]
            at = max(at, end)
        return b"".join([*parts, text[at:]]).decode("utf-8", "surrogatepass")

    def _text_of(self, node: Node) -> str:
        return "" if node is None else self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _said_of(self, node: Node, field: str) -> str:
        return self._text_of(node.child_by_field_name(field))

    def _put(self, at: int, what: str) -> None:
        """Put `what` in at a byte, behind what outer nodes put in there: they are seen before inner ones."""
        self._edits.append((at, len(self._edits), what))

    def _wrap(self, node: Node, opening: str) -> None:
        """Put `opening` before a node and ")" behind it; where several end, inner ones close first."""
        self._put(node.start_byte, opening)
        self._edits.append((node.end_byte, -len(self._edits), ")"))

    def _replace(self, node: Node, what: str) -> None:
        self._cut.append((node.start_byte, node.end_byte))
        self._put(node.start_byte, what)

    def _refuse(self, node: Node, what: str) -> None:
        self.refused.add((node.start_point[0], what))

    def _name_beyond(self, node: Node, what: str) -> None:
        self.beyond.add((node.start_point[0], what))

    def _see(self, node: Node) -> None:
        kind = node.type
        if kind in _REFUSED:
            self._refuse(node, _REFUSED[kind])
        elif kind in _BEYOND:
            self._name_beyond(node, _BEYOND[kind])
        elif kind in ("async", "await", "static") and node.child_count == 0 and not node.is_named:
            self._refuse(node, kind)
        elif kind in _OPERATORS and not node.is_named:
            self._refuse(node, f"the operator {kind}")
        elif kind == "*" and node.parent.type == "method_definition":
            self._refuse(node, "a generator")
        elif kind in ("identifier", "property_identifier") and self._text_of(node) in _BEYOND_NAMES:
            self._name_beyond(node, f"Nashorn's {self._text_of(node)}")
        elif (seen := getattr(self, f"_see_{kind}", None)) is not None:
            seen(node)

    def _see_typographic_quotes(self, code: str) -> None:
        for match in self._unquoted(_TYPOGRAPHIC, code):
            line = code.count("\n", 0, match.start())
            quote = f"the typographic quote {match[0]} (U+{ord(match[0]):04X}) in "
            self.refused.add((line, f"{quote}`{code.split(chr(10))[line].strip()[:60]}`"))

    def _see_mozillas(self, code: str) -> None:
        for what, pattern in _MOZILLAS.items():
            for match in self._unquoted(pattern, code):
                self.beyond.add((code.count("\n", 0, match.start()), what))

    def _unquoted(self, pattern: re.Pattern, code: str) -> Iterator[re.Match]:
        """Yield the matches that begin outside of strings, regular expressions and comments."""
        quoted = [(node.start_byte, node.end_byte) for node in self._nodes if node.type in _QUOTED]
        for match in pattern.finditer(code):
            at = len(code[: match.start()].encode("utf-8", "surrogatepass"))
            if not any(begin <= at < end for begin, end in quoted):
                yield match

    def _see_newer_names(self, code: str) -> None:
        """`await` and `yield` are names in Nashorn."""
        if any(node.type == "async" or node.type.startswith("generator_function") for node in self._nodes):
            return
        words = {"await": "await", "a generator": "yield"}
        used = {match[1] for match in _NEWER_NAME.finditer(code)}
        for line, what in [name for name in self.refused if words.get(name[1]) in used]:
            self.refused.discard((line, what))
            self.beyond.add((line, f"the name {words[what]}, which newer JavaScript has for itself"))

    def _see_string(self, node: Node) -> None:
        text = self._text_of(node)
        if _ODD_TEXT.fullmatch(text[1:-1]):
            self._name_beyond(node, f"{text}, which is another number in Nashorn")
        if _ODD_SPACE.search(text):
            self._name_beyond(node, "U+180E, which is white space in Nashorn")

    def _see_member_expression(self, node: Node) -> None:
        text = self._text_of(node)
        if text == "log.log" and (
            node.parent.type != "call_expression" or node.parent.child_by_field_name("function") != node
        ):
            self._name_beyond(node, "log.log, not called")
        elif text in ("Number.MAX_SAFE_INTEGER", "Number.MIN_SAFE_INTEGER", "Number.EPSILON"):
            self._name_beyond(node, f"{text}, which Nashorn hasn't")

    def _see_number(self, node: Node) -> None:
        if _ODD_NUMBER.search(self._text_of(node)):
            self._refuse(node, f"the number {self._text_of(node)}")

    def _see_catch_clause(self, node: Node) -> None:
        name, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
        if name is None:
            self._refuse(node, "catch without a name")
        elif name.type == "identifier":
            self._put(body.start_byte + 1, f" {self._text_of(name)} = caught_({self._text_of(name)});")

    def _see_regex(self, node: Node) -> None:
        flags = self._said_of(node, "flags")
        if _NO_FLAG.search(flags) or len(set(flags)) < len(flags):
            self._refuse(node, f"the flags {flags} of a regular expression")
        if _NO_GROUP.search(self._said_of(node, "pattern")):
            self._refuse(node, "a group that looks behind or has a name, in a regular expression,")

    def _see_escape_sequence(self, node: Node) -> None:
        if self._text_of(node).startswith("\\u{"):
            self._refuse(node, "\\u{...}")

    def _see_arguments(self, node: Node) -> None:
        if node.child_count > 2 and node.children[-2].type == ",":
            self._refuse(node, "a comma behind the last of a list in brackets")

    _see_formal_parameters = _see_arguments

    def _see_function_declaration(self, node: Node) -> None:
        parent = node.parent
        if parent.type in ("if_statement", "else_clause", "labeled_statement"):
            self._refuse(node, "a function as the branch of an if")
        elif parent.type == "statement_block" and parent.parent.type not in _FUNCTIONS:
            name = self._said_of(node, "name")
            if any(
                node.type == "identifier"
                and self._text_of(node) == name
                and not parent.start_byte <= node.start_byte < parent.end_byte
                for node in self._nodes
            ):
                what = f"{name}(), declared in a block and named outside of it, where Nashorn hasn't it"
                self._name_beyond(node, what)

    def _see_return_statement(self, node: Node) -> None:
        """Note a script's own verdict: a computed number may be a Double of Java's, which Cooja refuses."""
        above = node.parent
        while above is not None and above.type not in _FUNCTIONS:
            above = above.parent
        value = self._text_of(node.named_children[0]) if node.named_child_count else "0"
        if above is None and not re.fullmatch("[0-9]+", value):
            self._name_beyond(node, "a value that the script returns, and that is no plain number")

    def _see_for_in_statement(self, node: Node) -> None:
        left, operator, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        each = any(
            node.start_byte < at < left.start_byte
            for at in self._eachs
            if not self.text[node.start_byte + 3 : at].strip(b" \n\t\r")
        )
        if each and left.type not in ("identifier", "undefined"):
            self._name_beyond(node, "for each into a property")
        elif (each or self._arrays) and self._text_of(operator) == "in":
            of, value = "each_(" if each else "keys_(", node.child_by_field_name("value")
            if value is None:
                self._replace(operator, " of ")
                self._wrap(right, of)
            else:  # for (var i = 0 in o), which `of` can't have: the name has it before `o` is looked at
                self._replace(value.prev_sibling, f" of {of}({self._text_of(left)} = ")
                self._replace(operator, ",")
                self._edits.append((right.end_byte, -len(self._edits), "))"))

    def _see_switch_statement(self, node: Node) -> None:
        """If all cases are integers, it takes a Java Long for its number."""
        cases = [
            case.child_by_field_name("value")
            for case in node.child_by_field_name("body").named_children
            if case.type == "switch_case"
        ]
        value = node.child_by_field_name("value")
        if cases and all(re.fullmatch(r"-?\d+", self._text_of(case)) for case in cases):
            self._wrap(value, "(plain_")

    def _see_call_expression(self, node: Node) -> None:
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called.type != "member_expression" or given is None or given.type != "arguments":
            return
        name, receiver = (called.child_by_field_name(field) for field in ("property", "object"))
        if self._text_of(name) == "length" and given.named_child_count == 0:
            self._wrap(receiver, "length_(")
            self._cut.append((receiver.end_byte, node.end_byte))
        elif self._text_of(name) == "equals" and given.named_child_count == 1:
            # Two Integers for sure; of other equal numbers Java may have one as a Double, and those are never
            # equal.
            if self._integer(receiver) and self._integer(given.named_children[0]):
                self._put(given.named_children[0].end_byte, ", true")

    def _integer(self, node: Node) -> bool:
        text = self._text_of(node)
        return bool(
            re.fullmatch(r"\d+|\(\d+\)", text)
            or (text == "id" and not self._own_id)
            or re.fullmatch(r"[\w.]*\.(?:getID|getMoteID)\(\)|node\.id", text)
        )

    def _see_binary_expression(self, node: Node) -> None:
        operator = node.child_by_field_name("operator")
        if self._longs and self._text_of(operator) == "+":
            self._wrap(node, "add_(")
            self._replace(operator, ",")

    def _see_assignment_expression(self, node: Node) -> None:
        """Note that a long becomes a double in a variable that has numbers only, as Nashorn keeps it."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left.type == "subscript_expression" and STORED.search(self._text_of(right)):
            of, key = (self._said_of(left, field) for field in ("object", "index"))
            if not re.search(r"[(=]|\+\+|--", of + key):
                self._wrap(right, f"kept_({of}, {key}, ")

    def _see_pair(self, node: Node) -> None:
        if node.child_by_field_name("key").type == "number" and re.search(
            r"\btime\b", self._said_of(node, "value")
        ):
            self._name_beyond(node, "the time in a numbered place of an object as it is made")

    def _see_augmented_assignment_expression(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if self._longs and self._text_of(operator) == "+=":
            if _ACTS.search(self._text_of(left)):
                self._name_beyond(node, "+= of a Java long to a place that a call or ++ names")
            self._replace(operator, f"= add_({self._text_of(left)},")
            self._put(right.end_byte, ")")
