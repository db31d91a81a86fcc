# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (statements of scripts)
"""Scripts that try each method, function and operator on all values and at all bounds, natively to their end; and
scripts that end natively at what only an interpreter does exactly as Nashorn does.
"""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

# -0 is told from 0 only by what it divides; a large or small power of two has a text that only an interpreter writes.
_HEAD = """\
TIMEOUT(9);
function z(x) {
if(typeof x != "number" || x > -1e15 && x < -1e-4 || x > 1e-4 && x < 1e15) { return x + ""; }
return x === 0 && 1 / x < 0 ? "-0" : x / 1.1 + "";
}
"""


def _split(text: str) -> list[str]:
    return text[1:-1].replace("\n", "|").split("|")


def _list(name: str, values) -> str:
    """A list of any length; a literal one may have 200 values."""
    return f"var {name} = [];\n" + "".join(f"{name}.push({value});\n" for value in values)


def _each(expressions, names: str, values: str = "v") -> str:
    """Logs each expression for all combinations of the list's values under these names."""
    loops = "".join(
        f"for(var i_{one} = 0; i_{one} < {values}.length; i_{one}++) {{\nvar {one} = {values}[i_{one}];\n"
        for one in names
    )
    logs = "".join(f'log.log(z({expression}) + "|");\n' for expression in expressions)
    return f'{loops}{logs}log.log("\\n");\n{"}" * len(names)}\n'


_ANY = _split(
    """
""|" "|"a"|"b"|"aa"|"ab"|"c"|"7"|"9"|"10"|" 9 "|"-1.5"|"x\\u00e9y"|"x\\u20acy"|"x\\u00e9z"|0|-0|1|-1|0.5
-0.5|0.49999999999999994|1.5|-1.5|2.5|7|9|9.5|10|31|32|33|63|2147483647|2147483648|-2147483648|-2147483649
4294967295|4294967296|4294967297|-4294967297|1e10|9007199254740991|9007199254740995|1e20|-1e20|0 / 0
1 / 0|-1 / 0|true|false|null|undefined
"""
)
_NUMBERS = [one for one in _ANY if '"' not in one] + ['"7"', '"-1.5"', '"x"', '""']
_PLACES = _split(
    """
undefined|null|true|0 / 0|1 / 0|-1 / 0|"2"|"x"|0.9|-0.9|-7|-6|-5|-4|-3|-2|-1|0|1|2|3|4|5|6|7|8
"""
)
_SOME = ("a + b", "b + a", "a == b", "a != b", "a === b", "a !== b")
_ORDERS = ("a < b", "a <= b", "a > b", "a >= b")
_BINARY = ("a - b", "a * b", "a / b", "a % b", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "a >>> b")
_OF_ONE = ("-a", "+a", "~a", "!a", "typeof a", "a ? 1 : 2", "a && 3", "a || 4", "String(a)", "isNaN(a)", "Number(a)")  # fmt: skip
_MATH = ("Math.floor(a)", "Math.ceil(a)", "Math.abs(a)", "Math.round(a)")

_ROUNDED = _split(
    """
-0.2|-0.49999999999999994|-0.51|3.5|-3.5|1e15 + 0.5|4503599627370495.5|-4503599627370495.5
4503599627370497|-4503599627370497|4503599627370499|6755399441055745
"""
)
# Texts that are numbers, begin with one or nearly are one; what has a letter behind its 0 or an exponent is beyond.
_NEARLY = _split(
    """
| |-|+|.|-.|+.|--7|+-7|- 7|7|-7|+7|  12  |.5|-.5|5.|+5.|5.5.5|5..5|007|0|-0|+0|00|-00|0.0|-0.0|1,5|1 2|12px|px12|1_0
1-2|1+2|i|e5|.e5|-e|999999999999999|-999999999999999|0.00000000000001|.123456789012345|123456.789012345|12345678901234.5
\\t7\\n|\\x0b7\\f|7\\r|\\x087|7\\x0e|\\x1f7|7\\x7f|0?|-0?|0 |0/|0:|7x0a|a\\u00e9b|1\\u00e92|9.|.9|90|09|19.75
-19.75abc|7.a|-7.a|/7|:7|7/|7:|1I|1i
"""
)
_BLANKS = [f"\\x{code:02x}" for code in (*range(0x08, 0x0F), *range(0x1C, 0x22), 0x7E, 0x7F)]

_TEXTS = ["".join(letters) for length in range(5) for letters in itertools.product("ab", repeat=length)]
_PATTERNS = [
    "".join(letters) for length in range(4) for letters in itertools.product("ab", repeat=length)
] + ["B", "AB", "ba"]
_WIDE = _split(
    """
|x|é|€|\\ud83d\\ude00|\\ud800\\udc00|\\uffff|\\ud7ff|\\u0080|\\u07ff|\\u0800|éx|x\\ud83d\\ude00y€é
"""
)

_DIGITS = _split(
    """
1|5|9|1.5|12|99.5|1.0625|9.75|123456789|1.23456789|9.99999999999999|123456789012345|999999999999999
1234567890123456|9999999999999998|1.2345678901234567|9.007199254740993|1.7976931348623157
"""
)
_LITERALS = [
    *(
        f"{digits}e{power}"
        for digits in _DIGITS
        for power in (-290, -100, *range(-10, 25), 99, 100, 101, 280)
        if math.frexp(float(f"{digits}e{power}"))[0] != 0.5
    ),
    *_split(
        """
1e-300|0.5|1.0000000000000002e-300|1e300|0.1|0.2|0.30000000000000004|1e15|999999999999999|999999999999999.9
1000000000000000.1|123456789.125|4294967296|0x1ffffffffffff|0777|1e0|100|1e21|1e-6|1e-7
"""
    ),
]
_KEYS = _split(
    """
""|"0"|"00"|"01"|"1"|"7"|"9"|"10"|"99"|"/"|":"|"1:"|"1/"|"-0"|"-1"|"1.5"|"1e3"|"a"|"b"|"ab"|"__"|"_a"|"a__b"
"length"|"100000"|"100001"|"4294967294"|"4294967295"|"4294967296"|"9999999999"|"10000000000"|"99999999999"|"é"
"constructo"|"constructors"|"valueof"|"toString "|"hasOwnPropertY"|0|-0|1|2|7|10|100000|4294967294|4294967295
4294967296|-1|1.5|0.5|1e21|1e-7|0 / 0|1 / 0|true|false|null|undefined
"""
)
_SEEN = 'for(k in m) { log.log("<" + k + "=" + m[k] + ">"); }\nlog.log(Object.keys(m).length + "\\n");\n'

SCRIPTS = {
    "every operator of every two values": _list("v", _ANY) + _each(_SOME + _ORDERS, "ab"),
    "arithmetic of every two numbers": _list("v", _NUMBERS) + _each((*_BINARY, "Math.max(a, b)", "Math.min(a, b)"), "ab"),
    "every value alone": _list("v", _ANY) + _each(_OF_ONE, "a") + _list("w", (*_NUMBERS, *_ROUNDED)) + _each(_MATH, "a", "w"),
    "texts as numbers": _list("v", (f'"{text}"' for text in _NEARLY))
    + _each(("Number(a)", "+a", "a * 1", "parseInt(a)", "parseFloat(a)", "isNaN(a)", "a < 8"), "a"),
    "numbers as texts to read": _list("v", (one for one in _NUMBERS if "e20" not in one and len(one) < 16 and one not in ("1 / 0", "-1 / 0"))) + _each(("parseInt(a)", "parseFloat(a)"), "a"),
    "blanks": _list("v", (f'"{blank}"' for blank in _BLANKS))
    + _each(('"<" + a.trim() + ">"', '"<" + (a + "x" + a).trim() + ">"', '("  " + a + " x " + a + " ").trim()', "Number(a)"), "a"),
    "the texts of numbers": _list("v", _LITERALS) + _each(('"" + a', '"" + -a'), "a"),
    "two places in texts": _list("t", ('""', '"a"', '"ab cab"', '"aaa"'))
    + _list("v", _PLACES)
    + "for(var j = 0; j < t.length; j++) {\nvar s = t[j];\n"
    + _each(("s.substr(a, b)", "s.substring(a, b)", "s.slice(a, b)"), "ab")
    + _each(("s.substr(a)", "s.substring(a)", "s.slice(a)", "s.charAt(a)", "s.charCodeAt(a)"), "a")
    + _each(('s.indexOf("a", a)', 's.indexOf("", a)', 's.indexOf("cab", a)', 's.indexOf("b", a)'), "a")
    + "log.log(s.slice() + s.isEmpty() + s.length + s.length());\n}\n",
    "places in a list": _list("v", _PLACES)
    + 'var l = [0, "b", null, undefined, true, 5.5], e = [];\n'
    + _each(("l.slice(a, b).join()", "e.slice(a, b).length"), "ab")
    + _each(("l.slice(a).join('-')", "l.slice(a).length", "l.indexOf(a)", "e.indexOf(a)"), "a"),
    "texts in texts": _list("v", (f'"{text}"' for text in _TEXTS))
    + _list("p", (f'"{text}"' for text in _PATTERNS))
    + "for(var j = 0; j < p.length; j++) {\nvar s = p[j];\n"
    + _each(("a.contains(s)", "a.startsWith(s)", "a.endsWith(s)", "a.equals(s)", "a.equalsIgnoreCase(s)", "a.indexOf(s)", "a.lastIndexOf(s)"), "a")
    + _each(('a.replace(s, "<>")', "a.replace(s, a)", "a.replace(s, '')", "a.concat(s)", "a.concat(1, s, null, true)"), "a")
    + 'if(s != "") {\n' + _each(('a.split(s).join("|")', "a.split(s).length"), "a") + "}\n}\n",
    "letters that are not ASCII": _list("v", (f'"{text}"' for text in _WIDE))
    + _each(("a.length", "a.length()", "(a + a).length", "a.isEmpty()", "a + 1", "('x' + a + 'y').trim()"), "a")
    + _each(("(a + b).indexOf(b)", "(a + b).lastIndexOf(b)", "(b + a).contains(b)", "(a + b).replace(b, 'z')", "(a + b).startsWith(a)"), "ab")
    + _list("o", (f'"{text}"' for text in _WIDE if "\\ud83d" not in text and "\\ud800" not in text))
    + _each((*_ORDERS, "a + 'z' < b", "a < b + '\\u0001'"), "ab", "o")
    + _each(("(a + b).endsWith(b)", "a.equals(b)", "a === b", "(a + '-' + b).split('-')[1]"), "ab"),
    "letters and their case": 'var all = "' + "".join(map(chr, range(32, 127))).replace("\\", "\\\\").replace('"', '\\"') + '";\n'
    + "log.log(all.toLowerCase() + all.toUpperCase());\n"
    "for(var i = 0; i < all.length; i++) {\nfor(var j = 0; j < all.length; j++) {\n"
    "if(all.charAt(i).equalsIgnoreCase(all.charAt(j))) { log.log(all.charCodeAt(i) + '~' + all.charCodeAt(j) + ' '); }\n} }\n"
    'log.log("aB".equalsIgnoreCase("Ab") + "aB".equalsIgnoreCase("Abc") + "aB".equalsIgnoreCase("xb") + "\\n");\n',
    "equals with what is no text": _list("v", _ANY) + _each(('"7".equals(a)', '"".equals(a)', '"undefined".equals(a)'), "a"),
    "lists": """\
var l = [], n = 0;
for(var i = 0; i < 70; i++) { l.push(i, "t" + i, null); if(i % 3 == 0) { log.log(z(l.shift()) + z(l.pop()) + "\\n"); } l[i % l.length] = -i; }
log.log(l.join() + l.join("") + l.join(" - ") + l.length + "\\n");
while(n < 200) { log.log(z(l.shift()) + z(l.pop()) + l.length + " "); n++; }
log.log(l.join() + l.push(null, undefined, true, 1.5, "") + l.join() + l.join("+") + l[0] + l[1] + l[5] + l[99] + l[1e300] + l[1 / 0] + "\\n");
l = [1]; log.log(l.join("x") + l.join() + l.length + [].join("x") + [].length + "\\n");
l[0] = "a"; l[0] += "b"; log.log(l[0] + l[-0] + (l ? 1 : 2) + ([] ? 1 : 2) + !l + typeof l + "\\n");
var k = l, o = [1]; log.log((k == l) + " " + (k === l) + (l === o) + (l == o) + (l == null) + (l != undefined) + (l === "ab") + "\\n");
""",
    "objects": """\
var m = {}, o = {}, k = m; log.log((k == m) + " " + (k === m) + (o === m) + (o == m) + (m == null) + (m === 1) + typeof m + !m + "\\n");
m.length = 3; log.log(m.length + z(o.length) + z(o.x) + ("length" in m) + ("length" in o) + o.hasOwnProperty("x") + "\\n");
m.t = time; m[1] = time; log.log(typeof m.t + typeof m[1] + m.t + m[1] + "\\n");
m.x = null; m.y = undefined; m.z = true; log.log(m.x + m.y + m.z + ("y" in m) + "\\n");
delete m.y; delete m.y; delete m.none; log.log(z(m.y) + ("y" in m) + z(delete m.x) + "\\n");
""" + "for(k in m) { log.log(k); }\n",
    "keys": "var m = {};\n" + _list("v", _KEYS)
    + "for(var i = 0; i < v.length; i++) {\nvar a = v[i];\nlog.log((a in m) + z(m[a]) + m.hasOwnProperty(a));\n"
    'm[a] = i;\nlog.log((a in m) + z(m[a]) + m.hasOwnProperty(a) + "\\n");\n}\n' + _SEEN
    + "for(i = 0; i < v.length; i += 2) { delete m[v[i]]; }\n" + _SEEN
    + "for(i = 0; i < v.length; i++) { log.log((v[i] in m) + z(m[v[i]]) + ' '); }\n"
    + "for(i = v.length - 1; i > 0; i--) { if(!(v[i] in m)) { m[v[i]] = 'new' + i; } }\n" + _SEEN,
    "many keys": "var m = {}, x = 1;\nfor(var i = 0; i < 900; i++) {\nx = (x * 75 + 74) % 65537;\n"
    "var k = x % 3 == 0 ? x % 97 : x % 3 == 1 ? 'k' + x % 89 : x % 83 * 1e8;\n"
    "if(x % 5 == 0) { delete m[k]; } else if(x % 5 == 1) { m[k] = 'text' + i; } else { m[k] = (m[k] || '') + 1; }\n"
    "log.log(k + ' ' + m[k] + (k in m) + (x % 61 in m) + m['k' + x % 61] + '\\n');\nif(i % 100 == 99) {\n" + _SEEN + "}\n}\n" + _SEEN,
    # A long that is stored in a numbered place among numbers only becomes a number there, as in Nashorn.
    "longs in numbered places": "".join(
        f"var m{number} = {{}};\n{before.replace('m[', f'm{number}[')}\nm{number}[{key}] = time;\nlog.log({number} + typeof m{number}[{key}] + ' ');\n"
        for number, (key, before) in enumerate(
            itertools.product(
                ("0", "7", "'7'", "99999", "100000", "100001", "'k'", "1.5", "4294967294"),
                ("", "m[1] = 1;", "m[1] = 'a';", "m[1] = undefined;", "m[1] = null;", "m['k'] = 'a';", "m['k'] = time;", "m[1] = 'a'; delete m[1];",
                 "m[1] = 'a'; m[1] = 2;", "m[1] = 'a'; m[1] = 'b'; m[1] = 2;", "m[1] = 'a'; m[2] = 'a'; delete m[2];", "m[7] = 'a';",
                 "m[1] = 'a'; m[1] = undefined;", "m[100001] = time;", "m[100001] = time; delete m[100001];", "delete m[1];",
                 "m[1] = 1; delete m[1];"),
            )
        )
    ),
    "the time": "log.log(time + ' ' + (time + 1) + (time + time) + -time + +time + ~time + !time + typeof time + (time & 1023) + time % 7 + '\\n');\n"
    "log.log((time == 0) + ' ' + (time < 1e9) + (time > 1e9) + ('' + time == time) + (time == null) + (time === 2000) + (time ? 1 : 2) + '\\n');\n"
    "log.log(String(time) + Math.max(time, 1) + Math.floor(time) + Number(time) + isNaN(time) + parseInt(time) + (time || 1) + '\\n');\n"
    "log.log('x'.concat(time) + 'abc'.charAt(time) + 'abc'.substr(-time) + 'abc'.equals(time) + '\\n');\n",
    "functions": """\
function none() { } function early(a) { if(a) { return "early"; } log.log("late "); return; } function two(a, b) { return a + "," + b; }
function locals(a) { var b = a + 1, c = b + 1; let d = c + 1; a = d; b = [a, c]; return b.join() + a + c + d; }
function down(n) { return n > 0 ? 1 + down(n - 1) : 0; } function odd(n) { return n == 0 ? false : even(n - 1); }
function even(n) { return n == 0 ? true : odd(n - 1); } function says(x) { log.log("says " + x + " "); return x; }
log.log(none() + " " + none(1, 2, 3) + early(0) + early(1) + two() + two(1) + two(1, 2) + two(1, 2, 3) + two("a", two("b", "c", "d")) + "\\n");
log.log(locals(1) + locals("x") + locals(1, 2, 3) + down(999) + odd(301) + even(301) + "\\n");
says(1) + says(2) * says(3); says(says(4)); log.log("<" + says(5) + ">" + says(6) + "\\n");
var x = says(0) || says(7), y = says(0) && says(8), w = says(9) ? says(10) : says(11);
log.log(x + "" + y + w + "\\n");
""",
    "the time-out while functions wait": """\
function f(n) { if(n > 0) { f(n - 1); } while(true) { YIELD(); } } function g(n) { return n > 0 ? 1 + g(n - 1) : 0; }
timeout_function = function() { log.log(g(900) + msg + id + "\\nend\\n"); log.testOK(); }
f(900);
""",
    "what stays on the stack": """\
var a = 1, m = {k: 1, n: "x"}, l = [1, 2], o;
log.log((a = 5) + (a += 2) + a++ + a + (++a) + a-- + (--a) + "\\n"); o = a = m.k = l[1] = 9; log.log(o + a + m.k + l[1] + "\\n");
log.log((m.k += 3) + (m.n += 1) + (l[0] += 5) + (++m.k) + (--l[0]) + z(delete m.n) + m.n + (1, 2, a) + "\\n");
switch(a) { case 1: log.log("one"); case 9: log.log("nine"); case "9": log.log("text"); break; default: log.log("other"); }
switch("x") { case "y": log.log("y"); default: log.log("default "); case "z": log.log("z"); }
switch(l.length) { case 1: case 2: case 3: log.log("few"); break; case 4: log.log("four"); }
""",
}  # fmt: skip
SCRIPTS = {name: f'{_HEAD}{text}log.log("end\\n");\nlog.testOK();\n' for name, text in SCRIPTS.items()}

# (what the kernel says, the statements that bring it there). `s` is "ab", `w` a text that is not ASCII, `n` 5, `l` a list, `m` an object,
# `p` texts with pairs of surrogates.
_BEYOND_HEAD = """\
TIMEOUT(9);
function deep(n) { if(n > 1) { deep(n - 1); } }
var s = "ab", w = "\\u00e9", n = 5, l = [1, 2], m = {k: 1, nil: null}, p = "a\\ud83d\\ude00";
"""
_SAID = Path(__file__).with_name("program_beyond.txt").read_text(encoding="utf-8")
_BEYOND = {
    block.split("\n")[0]: block.strip("\n").split("\n")[1:]
    for block in re.split(r"^=== ", _SAID, flags=re.MULTILINE)[1:]
}
BEYOND = [
    (what, f"{_BEYOND_HEAD}{does}\nlog.testOK();\n")
    for what, statements in _BEYOND.items()
    for does in statements
]

# What each makes of a text of 4 KB, `b + i`, or keeps of it for a while, again and again.
_PASSING = """
b + i;|String(b + i);|v = b + i;|v = b; v += i;|f(b + i);|f(b + i, b + i, b + i);|f();|g(b + i);|h(b + i);|h(1);|early(b + i, i);
typeof (b + i);|!(b + i);|-(b + i);|(b + i) || 1;|(b + i) && 1;|0 || b + i;|b + i ? 1 : 2;|b + i == b;|b + i === b + i;|b + i != null;
b + i < b;|b + i >= 5;|b + i - 1;|(b + i) & 1;|`${b}${i}`;|{ let q = b + i; }|global.put("x", b + i);|global.get("x");|msg + i;|v = msg;
l[0] = b + i;|l[0] += i; l[0] = 1;|[b + i, b + i];|v = [b + i]; v = [i];|l === m; m == null; !l; typeof l;|v = l; v = m; v = l;|f(l); f(m); g(l); g(m);
l.push(b + i); l.pop();|l.push(b + i); l.shift();|l.push(i, b + i); l.pop(); l.pop();|l.indexOf(b + i);|l.slice(0);|[b, i].slice(0, 1);
[b, i, b].join(b);|[b + i].join(b + i);|[].join(b + i);|x.push(1); x.push(2); if(x.length > 500) { x = []; }
m.k = b + i;|m.k = b; delete m.k;|m[b] = i; delete m[b]; m[b];|m[b + i];|b + i in m;|m.hasOwnProperty(b + i);|Object.keys(m).length;|for(k in m) { }
({k: b + i});|v = {k: b + i}; v.k = b + i; v = 1;|v = {}; v[b + i] = 1; v = {}; v[i] = b + i; v = 1;|t[i % 9] = i;|t[i % 9] = b;|delete t[i % 9];|delete m[b + i];|m.length;|again(b + i);|m.k = b + i; delete m.k;
t["k" + i % 3] = i;|t["" + i % 5] = i; t["" + i % 7]; delete t["" + i % 9];|y["k" + i % 60] = b; if(i % 60 == 59) { y = {}; }
switch(b + i) { case 1: break; case 2: break; }|(b + i).length;|(b + i).length();|(b + i).isEmpty();|(b + i).equals(b + i);|(b + i).trim();
(b + i).contains(b + i);|(b + i).startsWith(b + i);|(b + i).endsWith(b + i);|(b + i).equalsIgnoreCase(b + i);|(b + i).concat(b + i, i);
(b + i).indexOf(b + i);|(b + i).indexOf(b + i, 1);|(b + i).lastIndexOf(b + i);|(b + i).substring(1);|(b + i).substr(1, 4000);|(b + i).slice(1);
(b + i).charAt(i);|(b + i).charCodeAt(i);|(b + i).toLowerCase();|(b + i).toUpperCase();|(b + i).split("a");|(b + i).split(b);
(b + i).replace(b, b + i);|(b + i).replace("q", b + i);|parseInt(b + i);|parseFloat(b + i);|isNaN(b + i);|Number(b + i);
Math.max(b + i, b + i);|Math.min(1, b + i);|Math.floor(b + i);
"""
_SMALL = (
    "typeof i;",
    "'' + i;",
    "[];",
    "[i];",
    "[i, 1, 2, 3, 4, 5, 6, 7, 8, 9];",
    "({});",
    "({k: i});",
    "v = {}; v[i] = 1;",
    "m[i % 5] = i;",
    "l.indexOf(i);",
)


def passing(full: bool) -> str:
    """A script whose values are all released; `full`: with all but 256 KB of a script's 64 MB taken by others."""
    filled = """\
var full = [], u = b;
while(u.length < 262144) { u += u; }
while(u.length < 33554432) { full.push(u); u += u; }
full.push(u); u = 1;
"""
    large = _PASSING.strip().replace("\n", "|").split("|")
    loops = "".join(f"for(i = 0; i < 75; i++) {{ {one} }}\n" for one in large)
    loops += "".join(f"for(i = 0; i < {12000 if full else 2000}; i++) {{ {one} }}\n" for one in _SMALL)
    return f"""\
TIMEOUT(9);
function f(a) {{ }} function g(a) {{ return a; }} function h(a, c) {{ var d = a + c; let e = d; return d; }}
function early(a) {{ if(a) {{ return; }} }} function again(a) {{ var d = a + 1; d = a + 2; a = d + 3; return d; }}
var b = "abcdefgh", c, i, v, m = {{}}, l = [1], t = {{}}, x = [], y = {{}};
while(b.length < 4096) {{ b += b; }}
{filled if full else ""}{loops}v = msg;
YIELD();
v = msg + 1;
YIELD();
v = msg;
log.log(String(i) + "end\\n");
log.testOK();
"""
