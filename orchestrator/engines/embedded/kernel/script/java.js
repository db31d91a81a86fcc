// SPDX-License-Identifier: Apache-2.0
// Java's values as a script finds them in Nashorn: longs, which are objects there, the methods of strings and numbers, and
// exceptions. What differs from JavaScript was found by running it there (tests/engines/nashorn_cases.txt).

var Proxy_ = Proxy, BigInt_ = BigInt, closed_ = Object.preventExtensions;

function unlike_(what) {
  unsupported_(what, new Error().stack);
}

// The exception of a Java method that is called with too few, too many, or other arguments than it takes.
function misfit_() {
  return new TypeError(); // without its text, which names Java's signatures
}

// A Java exception, which isn't a JavaScript Error and has a text of its own.
function java_error_(name, message) {
  var error = Object.create(null);
  ["getMessage", "getLocalizedMessage"].forEach(function(method) {
    Object.defineProperty(error, method, { value: function() { return message; } });
  });
  Object.defineProperty(error, "message", { value: message });
  Object.defineProperty(error, "toString", { value: function() { return message === null ? name : name + ": " + message; } });
  ["class", "getClass", "cause", "getCause", "stackTrace"].forEach(function(one) {
    Object.defineProperty(error, one, { get: function() { unlike_("an exception's " + one); } });
  });
  return error;
}

// java.lang.Long. To JavaScript two of them are only equal if they are the same object (Java has one for each from -128 to
// 127).
class Long_ {
  #value;
  #digits;
  constructor(value, digits) {
    this.#value = value;
    this.#digits = digits;
    closed_(this);
  }
  static of(digits) {
    return Long_.at(Number(digits), digits);
  }
  static at(value, digits) { // without digits: a number that has them all
    if(value < -128 || value > 127) {
      return new Long_(value, digits);
    }
    return Long_.small[value] || (Long_.small[value] = new Long_(value, digits));
  }
  static is(value) { return typeof value === "object" && value !== null && #value in value; }
  static digits(value) { return value.#digits === undefined ? String(value.#value) : value.#digits; }
  static number(value) { return value.#value; }
  static safe(value) { return Math.abs(value.#value) < 9007199254740992; }
  [Symbol.toPrimitive](hint) { return hint === "string" ? Long_.digits(this) : this.#value; }
  get [Symbol.toStringTag]() { return "java.lang.Long"; }
  toJSON() {
    if(!Long_.safe(this)) {
      unlike_("JSON of so large a Java long");
    }
    return this.#value;
  }
  toString() { if(arguments.length > 0) { throw misfit_(); } return Long_.digits(this); }
  equals(other) { if(arguments.length !== 1) { throw misfit_(); } return Long_.is(other) && Long_.digits(other) === Long_.digits(this); }
  compareTo(other) {
    if(arguments.length !== 1 || !(typeof other === "number" || Long_.is(other))) {
      throw misfit_();
    }
    return Math.sign_(this.#value - other);
  }
  intValue() { return Number(BigInt_.asIntN(32, BigInt_(Long_.digits(this)))); }
  shortValue() { return Number(BigInt_.asIntN(16, BigInt_(Long_.digits(this)))); }
  byteValue() { return Number(BigInt_.asIntN(8, BigInt_(Long_.digits(this)))); }
  longValue() { return Long_.of(Long_.digits(this)); }
  doubleValue() { return this.#value; }
  floatValue() { return Math.fround_(this.#value); }
  hashCode() {
    var bits = BigInt_.asUintN(64, BigInt_(Long_.digits(this)));
    return Number(BigInt_.asIntN(32, bits ^ (bits >> 32n)));
  }
}
Long_.small = {};
["class", "getClass", "describeConstable", "resolveConstantDesc", "notify", "notifyAll", "wait"].forEach(function(name) {
  Object.defineProperty(Long_.prototype, name, { get: function() { unlike_("a Java long's " + name); } });
});
delete Long_.prototype.constructor;
Object.setPrototypeOf(Long_.prototype, null);
Object.defineProperty(Math, "sign_", { value: Math.sign });
Object.defineProperty(Math, "fround_", { value: Math.fround });

// A Java long as its number, anything else as it is.
function plain_(value) {
  return Long_.is(value) ? Long_.number(value) : value;
}

// a + b where one may be a Java long of more digits than a number has.
function add_(a, b) {
  if((Long_.is(a) && !Long_.safe(a)) || (Long_.is(b) && !Long_.safe(b))) {
    var other = Long_.is(a) ? b : a;
    if(typeof other === "string" || (typeof other === "object" && other !== null && !Long_.is(other))) {
      return `${a}` + `${b}`;
    }
  }
  return a + b;
}

// x.length(): Java's method for a string, the script's own for anything else.
function length_(value) {
  return typeof value === "string" ? value.length : value.length();
}

// The values that `for each` visits.
function* each_(from) {
  if(typeof from === "string") {
    for(var i = 0; i < from.length; i++) {
      yield from[i];
    }
  } else if(typeof from === "object" && from !== null && !Long_.is(from)) {
    for(var key in from) {
      yield from[key];
    }
  }
}

// What x[key] = value keeps: where only numbers are, Nashorn has an array of doubles, in which a long is a number.
function kept_(x, key, value) {
  if(!Long_.is(value) || typeof x !== "object" || x === null || is_java_(x) || !/^(?:0|[1-9]\d*)$/.test(`${key}`)
     || key - (Array.isArray(x) ? x.length : 0) > 100000) {
    return value;
  }
  for(var one in x) {
    if(one >= 0 && typeof x[one] !== "number" && x[one] !== undefined) {
      return value;
    }
  }
  return Long_.number(value);
}

// A Java array: it has its elements and their number, and none of JavaScript's methods.
var java_arrays_ = new WeakSet(), iterate_ = Array.prototype[Symbol.iterator], iterator_ = Symbol.iterator, bare_ = Object.setPrototypeOf;
function java_array_(list) {
  Object.defineProperty(list, iterator_, { value: iterate_ });
  Object.defineProperty(list, "toString", { value: function() { unlike_("the text of a Java array"); } });
  bare_(list, null);
  java_arrays_.add(list);
  return list;
}

// The keys that `for in` visits.
function* keys_(from) {
  var array = typeof from === "object" && from !== null && java_arrays_.has(from);
  for(var key in from) {
    yield array ? Number(key) : key;
  }
}

// An argument where Java takes a String or CharSequence: neither a number nor a JavaScript object is one.
function sequence_(value) {
  if(value === null) {
    throw java_error_("java.lang.NullPointerException", null);
  }
  if(typeof value !== "string") {
    throw java_error_("java.lang.ClassCastException", null);
  }
  return value;
}

// An argument that Nashorn converts to a String.
function text_(value) {
  if(value === null) {
    throw java_error_("java.lang.NullPointerException", null);
  }
  return `${value}`;
}

// A pattern of java.util.regex, where it means the same in JavaScript.
function pattern_(value, flags) {
  var pattern = text_(value);
  if(/[*+?}]\+|&&|\\[pPQEAzZGhHRXNkxuU0cae]|\(\?[^:=!]|\[[^\]]*\[|\\[vV]|[^\x00-\x7f]/.test(pattern)) {
    unlike_("the pattern " + JSON.stringify(pattern) + " of Java's");
  }
  try {
    return new RegExp(pattern.replace(/\\s/g, "[ \\t\\n\\v\\f\\r]").replace(/\[([^\]]*)\[ \\t\\n\\v\\f\\r\]/g, "[$1 \\t\\n\\v\\f\\r"), flags);
  } catch(error) {
    throw java_error_("java.util.regex.PatternSyntaxException", null);
  }
}

// Java's replacement of a match: \x is x, and $n is a group, with as many digits as there are groups for.
function replacement_(template, groups) {
  var made = "", i = 0, group;
  while(i < template.length) {
    if(template[i] === "\\" && i + 1 < template.length) {
      made += template[i + 1];
      i += 2;
    } else if(template[i] === "$") {
      i++;
      if(!(template[i] >= "0" && template[i] <= "9") || Number(template[i]) >= groups.length) {
        throw java_error_("java.lang.IllegalArgumentException", "Illegal group reference");
      }
      group = Number(template[i++]);
      while(template[i] >= "0" && template[i] <= "9" && group * 10 + Number(template[i]) < groups.length) {
        group = group * 10 + Number(template[i++]);
      }
      made += groups[group] === undefined ? "" : groups[group];
    } else if(template[i] === "\\") {
      throw java_error_("java.lang.IllegalArgumentException", "character to be escaped is missing");
    } else {
      made += template[i++];
    }
  }
  return made;
}

function replaced_(text, pattern, template, flags) {
  template = text_(template);
  return String_.replace.call(text, pattern_(pattern, flags), function() {
    return replacement_(template, Array.prototype.slice.call(arguments, 0, -2));
  });
}

var String_ = { replace: String.prototype.replace, substring: String.prototype.substring, repeat: String.prototype.repeat };

function compare_(a, b) {
  for(var i = 0; i < a.length && i < b.length; i++) {
    if(a.charCodeAt(i) !== b.charCodeAt(i)) {
      return a.charCodeAt(i) - b.charCodeAt(i);
    }
  }
  return a.length - b.length;
}

(function() {
  "use strict";
  // [how few, how many arguments, what it does]; of a String object Nashorn knows JavaScript's methods only.
  function methods(prototype, type, all) {
    Object.keys(all).forEach(function(name) {
      Object.defineProperty(prototype, name, { configurable: true, writable: true, value: function() {
        if(typeof this !== type || arguments.length < all[name][0] || arguments.length > all[name][1]) {
          throw misfit_();
        }
        return all[name][2].apply(this, arguments);
      } });
    });
  }
  function beyond(prototype, whose, names) {
    names.split(" ").forEach(function(name) {
      Object.defineProperty(prototype, name, { configurable: true, get: function() { unlike_(whose + " " + name); } });
    });
  }
  function blank(unit) { // Character.isWhitespace()
    return /[\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/.test(unit);
  }
  function stripped(text, front, back) {
    var begin = 0, end = text.length;
    while(front && begin < end && blank(text[begin])) { begin++; }
    while(back && end > begin && blank(text[end - 1])) { end--; }
    return text.slice(begin, end);
  }
  function region(text, ignore, at, other, from, length) {
    if(from < 0 || at < 0 || at > text.length - length || from > other.length - length) {
      return false;
    }
    var a = text.substr(at, length), b = other.substr(from, length);
    return a === b || (ignore && a.toLowerCase() === b.toLowerCase());
  }
  methods(String.prototype, "string", {
    contains: [1, 1, function(part) { return this.indexOf(sequence_(part)) !== -1; }],
    startsWith: [1, 2, function(part, from) {
      part = text_(part);
      return from === undefined ? this.slice(0, part.length) === part : from >= 0 && this.substr(from, part.length) === part; }],
    endsWith: [1, 1, function(part) { part = text_(part); return part.length <= this.length && this.slice(this.length - part.length) === part; }],
    equals: [1, 1, function(other) { return typeof other === "string" && String(this) === other; }],
    equalsIgnoreCase: [1, 1, function(other) { return other !== null && this.toLowerCase() === text_(other).toLowerCase(); }],
    contentEquals: [1, 1, function(other) { return String(this) === sequence_(other); }],
    isEmpty: [0, 0, function() { return this.length === 0; }],
    isBlank: [0, 0, function() { return stripped(this, true, false) === ""; }],
    strip: [0, 0, function() { return stripped(this, true, true); }],
    stripLeading: [0, 0, function() { return stripped(this, true, false); }],
    stripTrailing: [0, 0, function() { return stripped(this, false, true); }],
    repeat: [1, 1, function(count) {
      if(!(count >= 0)) {
        throw java_error_("java.lang.IllegalArgumentException", "count is negative: " + count);
      }
      return String_.repeat.call(this, count); }],
    intern: [0, 0, function() { return String(this); }],
    matches: [1, 1, function(pattern) { return new RegExp("^(?:" + pattern_(pattern, "").source + ")$").test(this); }],
    replaceAll: [2, 2, function(pattern, text) { return replaced_(String(this), pattern, text, "g"); }],
    replaceFirst: [2, 2, function(pattern, text) { return replaced_(String(this), pattern, text, ""); }],
    compareTo: [1, 1, function(other) { return compare_(String(this), text_(other)); }],
    compareToIgnoreCase: [1, 1, function(other) { return compare_(this.toLowerCase(), text_(other).toLowerCase()); }],
    subSequence: [2, 2, function(from, to) {
      if(from < 0 || to > this.length || from > to) {
        throw java_error_("java.lang.StringIndexOutOfBoundsException", null);
      }
      return this.slice(from, to); }],
    codePointAt: [1, 1, function(at) {
      if(!(at >= 0 && at < this.length)) {
        throw java_error_("java.lang.StringIndexOutOfBoundsException", null);
      }
      var unit = this.charCodeAt(at), next = this.charCodeAt(at + 1);
      return unit >> 10 === 0x36 && next >> 10 === 0x37 ? ((unit & 0x3ff) << 10) + (next & 0x3ff) + 0x10000 : unit; }],
    regionMatches: [4, 5, function(ignore) {
      return arguments.length === 5 ? region(this, ignore, arguments[1], text_(arguments[2]), arguments[3], arguments[4])
        : region(this, false, arguments[0], text_(arguments[1]), arguments[2], arguments[3]); }],
    hashCode: [0, 0, function() { return string_hash_(this); }]
  });
  ["empty", "blank"].forEach(function(name) {
    Object.defineProperty(String.prototype, name, { configurable: true, get: function() {
      return typeof this === "string" ? (name === "empty" ? this.isEmpty() : this.isBlank()) : undefined;
    }, set: function() {} });
  });
  beyond(String.prototype, "a Java string's", "chars codePointBefore codePointCount codePoints describeConstable formatted getBytes bytes getChars " +
         "class getClass indent lines notify notifyAll offsetByCodePoints resolveConstantDesc splitWithDelimiters stripIndent toCharArray " +
         "transform translateEscapes wait");

  function narrowed(value, bits) {
    return bits === 32 && value % 1 === 0 && Math.abs(value) <= 4294967296 && value === (value | 0) ? value
      : Math.max(-2147483648, Math.min(2147483647, value - value % 1)) || 0;
  }
  methods(Number.prototype, "number", {
    // `sure`: both are Integers, as the text shows. Of others Java may have one as a Double, which never equals an Integer.
    equals: [1, 2, function(other, sure) {
      if(typeof other !== "number" || other !== Number(this)) {
        return false;
      }
      if(sure !== true && other % 1 === 0) {
        unlike_("equals() of two numbers, of which Java may have one as an Integer and one as a Double");
      }
      return true; }],
    compareTo: [1, 1, function(other) {
      if(typeof other !== "number") {
        throw misfit_();
      }
      return this < other ? -1 : this > other ? 1 : 0; }],
    intValue: [0, 0, function() { return narrowed(Number(this), 32); }],
    shortValue: [0, 0, function() { return narrowed(Number(this), 32) << 16 >> 16; }],
    byteValue: [0, 0, function() { return narrowed(Number(this), 32) << 24 >> 24; }],
    doubleValue: [0, 0, function() { return Number(this); }],
    floatValue: [0, 0, function() { return Math.fround_(this); }],
    longValue: [0, 0, function() {
      if(!(Math.abs(this) < 9007199254740992)) {
        unlike_("longValue() of so large a number");
      }
      return Long_.of(String(this - this % 1)); }]
  });
  beyond(Number.prototype, "a Java number's", "class getClass hashCode describeConstable resolveConstantDesc notify notifyAll wait isInfinite");
})();

function string_hash_(text) {
  var hash = 0;
  for(var i = 0; i < text.length; i++) {
    hash = (31 * hash + text.charCodeAt(i)) | 0;
  }
  return hash;
}
