// SPDX-License-Identifier: Apache-2.0
// What Nashorn with --language=es6 has of JavaScript, and nothing beyond: evaluated last, it takes away what is not there, and
// does as Nashorn does what the language leaves open (sort, dates, texts of errors). The names are those that
// Object.getOwnPropertyNames() says there.

(function() {
  "use strict";
  var HAS = {
    "Object": "getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyNames getOwnPropertySymbols create defineProperty defineProperties seal freeze preventExtensions isSealed isFrozen isExtensible keys",
    "Object.prototype": "toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable __proto__",
    "Function": "", "Function.prototype": "toString apply call bind",
    "Array": "isArray",
    "Array.prototype": "toString toLocaleString concat join pop push reverse shift slice sort splice unshift indexOf lastIndexOf every some forEach map filter reduce reduceRight entries keys values",
    "String": "fromCharCode",
    "String.prototype": "toString valueOf charAt charCodeAt concat indexOf lastIndexOf localeCompare match replace search slice split substr substring toLowerCase toLocaleLowerCase toUpperCase toLocaleUpperCase trim trimLeft trimRight",
    "Number": "MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY",
    "Number.prototype": "toFixed toExponential toPrecision toString toLocaleString valueOf",
    "Boolean": "", "Boolean.prototype": "toString valueOf",
    "Math": "E LN10 LN2 LOG2E LOG10E PI SQRT1_2 SQRT2 abs acos asin atan atan2 ceil cos exp floor log max min pow random round sin sqrt tan",
    "JSON": "parse stringify",
    "Date": "parse UTC now",
    "Date.prototype": "toString toDateString toTimeString toLocaleString toLocaleDateString toLocaleTimeString valueOf getTime getFullYear getUTCFullYear getYear getMonth getUTCMonth getDate getUTCDate getDay getUTCDay getHours getUTCHours getMinutes getUTCMinutes getSeconds getUTCSeconds getMilliseconds getUTCMilliseconds getTimezoneOffset setTime setMilliseconds setUTCMilliseconds setSeconds setUTCSeconds setMinutes setUTCMinutes setHours setUTCHours setDate setUTCDate setMonth setUTCMonth setFullYear setUTCFullYear setYear toUTCString toGMTString toISOString toJSON",
    "RegExp": "", "RegExp.prototype": "compile exec test toString source global ignoreCase multiline flags",
    "Symbol": "iterator for keyFor", "Symbol.prototype": "toString valueOf",
    "Map": "", "Map.prototype": "clear delete has set get size entries keys values forEach",
    "Set": "", "Set.prototype": "add has clear delete size entries keys values forEach",
    "WeakMap": "", "WeakMap.prototype": "set get delete has", "WeakSet": "", "WeakSet.prototype": "add delete has",
    "ArrayBuffer": "isView", "ArrayBuffer.prototype": "slice byteLength",
    "DataView": "", "DataView.prototype": "getInt8 getUint8 getInt16 getUint16 getInt32 getUint32 getFloat32 getFloat64 setInt8 setUint8 setInt16 setUint16 setInt32 setUint32 setFloat32 setFloat64 buffer byteLength byteOffset"
  };
  var GLOBALS = "run parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape print NaN Infinity undefined Object Function Array String Boolean Number Math Error ReferenceError SyntaxError TypeError Date RegExp JSON EvalError RangeError URIError ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array Symbol Map WeakMap Set WeakSet TIMEOUT SHUTDOWN log global sim mote msg node TestFailed TestOK Shutdown GENERATE_MSG YIELD write timeout_function java Java org Packages id time";
  // Names that Nashorn has and that aren't made here.
  var ELSEWHERE = "eval load loadWithNewGlobal exit quit com edu javafx javax JSAdapter JavaImporter gui context engine SEMAPHORE_SCRIPT SEMAPHORE_SIM";
  var JAVA_STRING = "contains startsWith endsWith equals equalsIgnoreCase contentEquals isEmpty isBlank strip stripLeading stripTrailing repeat intern matches replaceAll replaceFirst compareTo compareToIgnoreCase subSequence codePointAt regionMatches hashCode empty blank chars codePointBefore codePointCount codePoints describeConstable formatted getBytes bytes getChars class getClass indent lines notify notifyAll offsetByCodePoints resolveConstantDesc splitWithDelimiters stripIndent toCharArray transform translateEscapes wait";
  var JAVA_NUMBER = "equals compareTo intValue shortValue byteValue doubleValue floatValue longValue class getClass hashCode describeConstable resolveConstantDesc notify notifyAll wait isInfinite";
  var ALWAYS = "prototype constructor length name";
  var Reflect_ = Reflect, globals = globalThis, nativeKeys = Object.keys, names = Object.getOwnPropertyNames;

  function keep(object, list) {
    var kept = Object.create(null);
    (ALWAYS + " " + list).split(" ").forEach(function(name) { kept[name] = true; });
    names(object).forEach(function(name) {
      if(!kept[name] && !/_$/.test(name)) {
        Reflect_.deleteProperty(object, name); // well-known symbols stay
      }
    });
  }
  function define(object, name, value) {
    Object.defineProperty(object, name, { value: value, writable: true, configurable: true });
  }

  // java.util.TimSort below its first run's length: what List.sort(), Nashorn's sort, does with fewer than 32. A comparison
  // that is none (a boolean; never 0) has an order of its own then, which the language leaves open.
  function tim_sort(list, compare) {
    var run = 1, at, left, right, middle, one;
    if(list.length < 2) {
      return list;
    }
    if(compare(list[run++], list[0]) < 0) {
      while(run < list.length && compare(list[run], list[run - 1]) < 0) { run++; }
      list = list.slice(0, run).reverse().concat(list.slice(run));
    } else {
      while(run < list.length && compare(list[run], list[run - 1]) >= 0) { run++; }
    }
    if(run === list.length) {
      return list;
    }
    if(list.length >= 32) {
      return merged(list, compare);
    }
    for(at = run; at < list.length; at++) {
      one = list[at];
      for(left = 0, right = at; left < right;) {
        middle = (left + right) >>> 1;
        if(compare(one, list[middle]) < 0) { right = middle; } else { left = middle + 1; }
      }
      list.splice(at, 1);
      list.splice(left, 0, one);
    }
    return list;
  }
  // Any stable sort gives the same, if the comparison is one.
  function merged(list, compare) {
    var sorted = native_sort.call(list.slice(), compare);
    for(var i = 1; i < sorted.length; i++) {
      if(compare(sorted[i - 1], sorted[i]) > 0 || (compare(sorted[i - 1], sorted[i]) === 0) !== (compare(sorted[i], sorted[i - 1]) === 0)) {
        unlike_("sort() of 32 and more by a function that doesn't compare (it must return negative, 0 or positive)");
      }
    }
    return sorted;
  }
  var native_sort = Array.prototype.sort;
  define(Array.prototype, "sort", function(by) {
    var list = [], length = this.length >>> 0, at;
    if(by !== undefined && typeof by !== "function") {
      throw new TypeError((by === null ? "null" : `${by}`) + " is not a function");
    }
    for(at = 0; at < length; at++) {
      if(at in this) {
        list.push(this[at]);
      }
    }
    list = tim_sort(list, function(a, b) {
      if(a === undefined || b === undefined) {
        return a === b ? 0 : a === undefined ? 1 : -1;
      }
      if(by === undefined) {
        return compare_(`${a}`, `${b}`);
      }
      var result = Number(by(a, b));
      return result > 0 ? 1 : result < 0 ? -1 : 0;
    });
    for(at = 0; at < length; at++) {
      if(at < list.length) {
        this[at] = list[at];
      } else {
        delete this[at];
      }
    }
    return this;
  });

  // See kept_() of java.js.
  ["push", "unshift"].forEach(function(name) {
    var native = Array.prototype[name];
    define(Array.prototype, name, function() {
      for(var i = 0; i < arguments.length; i++) {
        if(typeof arguments[i] === "object" && Long_.is(arguments[i])) {
          arguments[i] = kept_(this, this.length, arguments[i]);
        }
      }
      return native.apply(this, arguments);
    });
  });
  var native_concat = Array.prototype.concat;
  define(Array.prototype, "concat", function() {
    var list = native_concat.apply(this, arguments);
    if(list.some(Long_.is)) {
      unlike_("concat() with Java's longs");
    }
    return list;
  });
  var native_map = Array.prototype.map;
  define(Array.prototype, "map", function(made, of) {
    var list = native_map.call(this, made, of);
    return list.some(Long_.is) && list.every(function(one) { return typeof one === "number" || Long_.is(one); }) ? native_map.call(list, plain_) : list;
  });

  // Orders letters and digits of ASCII by Java's collation; for others Java has tables.
  define(String.prototype, "localeCompare", function(other) {
    var a = String(this), b = `${other}`;
    if(!/^[A-Za-z0-9]*$/.test(a + b)) {
      unlike_("localeCompare() of more than letters and digits of ASCII");
    }
    var folded = compare_(a.toLowerCase(), b.toLowerCase());
    return Math.sign_(folded !== 0 ? folded : -compare_(a, b));
  });

  define(Math, "round", function(value) {
    value = Number(value);
    var whole = Math.floor(value + 0.5);
    return !(Math.abs(value) < 4503599627370496) ? value : whole === 0 && (value < 0 || 1 / value < 0) ? -0 : whole;
  });

  // The texts of our errors differ from Nashorn's.
  var source = Function.prototype.toString;
  define(Function.prototype, "toString", function() {
    var text = source.call(this);
    if(/\w_\(|_\.|\ball\[name\]/.test(text)) {
      unlike_("the text of a function of Cooja's or Java's");
    }
    return text.replace(/ \{\s+\[native code\]\s+\}$/, " { [native code] }");
  });

  var digits = Number.prototype.toString;
  define(Number.prototype, "toString", function(radix) {
    if(radix !== undefined && this % 1 !== 0 && isFinite(this) && [2, 4, 8, 10, 16, 32].indexOf(Number(radix)) < 0) {
      unlike_("a fraction's digits to that base");
    }
    return digits.call(this, radix);
  });
  define(Number.prototype, "toLocaleString", function() { return digits.call(this); });

  // Of texts. What converts one without a name (a sum, a comparison) is not seen: csc/nashorn.py names such a text in the script.
  function number_of(value) {
    var hexadecimal = typeof value === "string" ? /^\s*([+-])0[xX]([0-9a-fA-F]+)\s*$/.exec(value) : null;
    if(typeof value === "string" && /^\s*0[bBoO]/.test(value)) {
      return NaN;
    }
    return hexadecimal === null ? value : Number_(hexadecimal[1] + "1") * Number_("0x" + hexadecimal[2]);
  }
  var Number_ = Number, Array_ = Array;
  (function() {
    function Number(value) {
      value = arguments.length === 0 ? 0 : Number_(number_of(value));
      return new.target === undefined ? value : new Number_(value);
    }
    function Array(length) {
      if(arguments.length === 1 && (typeof length === "number" || Long_.is(length))) {
        if(plain_(length) % 1 !== 0 || plain_(length) < 0 || plain_(length) >= 4294967296) {
          throw new RangeError("inappropriate array length: " + length);
        }
        return new Array_(plain_(length));
      }
      return Array_.apply(null, arguments);
    }
    [[Number, Number_], [Array, Array_]].forEach(function(pair) {
      ("prototype " + HAS[pair[1].name]).split(" ").forEach(function(name) {
        Object.defineProperty(pair[0], name, Object.getOwnPropertyDescriptor(pair[1], name));
      });
      define(pair[1].prototype, "constructor", pair[0]);
      define(globals, pair[1].name, pair[0]);
    });
    ["isNaN", "isFinite"].forEach(function(name) {
      var native = globals[name];
      define(globals, name, function(value) { return native(number_of(value)); });
    });
    define(globals, "run", function run() { unlike_("run(), the script itself"); });
  })();

  (function() {
    var Native = Date, text = Native.prototype.toString, time = Native.prototype.toTimeString;
    function zone(date) {
      if(zone_ !== "UTC" || date.getTimezoneOffset() !== 0) {
        unlike_("a date's text in a time zone other than UTC");
      }
      return isNaN(date.getTime()) ? "" : " (UTC)";
    }
    function read(text) {
      if(!/^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{3})?)?Z?)?)?)?$/.test(text)) {
        unlike_("the date " + JSON.stringify(text));
      }
      if(zone_ !== "UTC") {
        unlike_("a date read in a time zone other than UTC");
      }
      return Native.parse(text);
    }
    function Date_() {
      if(new.target === undefined) {
        return new Date_().toString();
      }
      if(arguments.length === 1 && Long_.is(arguments[0])) {
        unlike_("new Date() of a Java long, whose digits Nashorn reads as a date's text");
      }
      if(arguments.length === 1 && typeof arguments[0] === "string") {
        return new Native(read(arguments[0]));
      }
      return arguments.length === 0 ? new Native() : arguments.length === 1 ? new Native(arguments[0])
        : new Native(Native.UTC.apply(null, arguments) + new Native(arguments[0], arguments[1]).getTimezoneOffset() * 60000);
    }
    Date_.prototype = Native.prototype;
    define(Native.prototype, "constructor", Date_);
    ["UTC", "now"].forEach(function(name) { define(Date_, name, Native[name]); });
    define(Date_, "parse", function(text) { return read(`${text}`); });
    define(Native.prototype, "toString", function() { return text.call(this) + zone(this); });
    define(Native.prototype, "toLocaleString", Native.prototype.toString);
    define(Native.prototype, "toTimeString", function() { return time.call(this) + zone(this); });
    define(Native.prototype, "toLocaleDateString", function() { return zone(this) && this.toISOString().slice(0, 10); });
    define(Native.prototype, "toLocaleTimeString", function() { return zone(this) && this.toISOString().slice(11, 19); });
    define(globals, "Date", Date_);
    Object.defineProperty(Date_, "name", { value: "Date", configurable: true });
  })();

  (function() {
    var Native = RegExp;
    function RegExp_(pattern, flags) {
      if(flags !== undefined && (/[^gim]/.test(flags) || /(.).*\1/.test(flags))) {
        throw new SyntaxError("Unsupported RegExp flag: " + /[^gim]|$/.exec(flags)[0]);
      }
      if(typeof pattern === "string" && /(^|[^\\])\(\?(?![:=!])/.test(pattern)) {
        throw new SyntaxError();
      }
      return new Native(pattern, flags);
    }
    RegExp_.prototype = Native.prototype;
    define(Native.prototype, "constructor", RegExp_);
    "input multiline $1 $2 $3 $4 $5 $6 $7 $8 $9".split(" ").forEach(function(name) {
      Object.defineProperty(RegExp_, name, { configurable: true, get: function() { unlike_("RegExp." + name); } });
    });
    HAS.RegExp = "input multiline $1 $2 $3 $4 $5 $6 $7 $8 $9";
    define(globals, "RegExp", RegExp_);
  })();

  // ES5: what is asked about must be an object, and none of Java's.
  "keys getPrototypeOf getOwnPropertyDescriptor isSealed isFrozen isExtensible seal freeze preventExtensions defineProperty defineProperties".split(" ").forEach(function(name) {
    var native = Object[name];
    define(Object, name, function(object) {
      if((typeof object !== "object" && typeof object !== "function") || object === null || Long_.is(object) || is_java_(object)) {
        throw new TypeError(`${object}` + " is not an Object");
      }
      return native.apply(Object, arguments);
    });
  });

  // Which errors are the script's own, so that the others get Nashorn's words where one is caught.
  var own = new WeakSet();
  ["Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError", "URIError"].forEach(function(name) {
    var Native = globals[name];
    function Error_(message) {
      var error = message === undefined ? new Native() : new Native(message);
      if(new.target !== undefined && new.target !== Error_) {
        Object.setPrototypeOf(error, new.target.prototype);
      }
      own.add(error);
      return error;
    }
    Error_.prototype = Native.prototype;
    define(Native.prototype, "constructor", Error_);
    Object.defineProperty(Error_, "name", { value: name, configurable: true });
    define(globals, name, Error_);
  });

  function worded(message, stack) {
    var found, frame = /<input>:(\d+):(\d+)/g, at = null, name;
    while((found = frame.exec(stack)) !== null) {
      if(found[1] > user_lines_) {
        at = [found[1] - user_lines_ + 1, found[2]];
        break;
      }
    }
    if((found = /^(.*) is not (?:defined|initialized)$/.exec(message)) !== null) {
      return '"' + found[1] + '" is not defined';
    }
    if((found = /^'(.*)' is read-only$/.exec(message)) !== null) {
      return 'Assignment to constant "' + found[1] + '"';
    }
    if((found = /^cannot set property '(.*)' of (null|undefined)$/.exec(message)) !== null) {
      return 'Cannot set property "' + found[1] + '" of ' + found[2];
    }
    if((found = /^cannot read property '(.*)' of undefined$/.exec(message)) !== null && found[1] !== "Symbol.iterator") {
      return 'Cannot read property "' + found[1] + '" from undefined';
    }
    if((found = /^cannot read property '(.*)' of null$/.exec(message)) !== null && at !== null && found[1] !== "Symbol.iterator") {
      for(name in calls_) {
        if(name.indexOf(at[0] + ":") === 0 && calls_[name].slice(-found[1].length - 1) === "." + found[1]) {
          return 'null has no such function "' + found[1] + '"';
        }
      }
      return 'Cannot get property "' + found[1] + '" of null';
    }
    if(message === "not a function" && at !== null && calls_[at.join(":")] !== undefined && calls_[at.join(":")][0] !== "?") {
      return calls_[at.join(":")] + " is not a function";
    }
    return null;
  }
  var NativeError = Error.prototype;
  // The value that `catch(e)` gets in Nashorn.
  globals.caught_ = function(error) {
    if(!(error instanceof Error) || Object.getPrototypeOf(error) === TestOK.prototype || Object.getPrototypeOf(error) === TestFailed.prototype
       || (own.has(error) && names(error).indexOf("message") >= 0)) {
      return error;
    }
    if(own.has(error) && Object.getPrototypeOf(error) !== TypeError.prototype && Object.getPrototypeOf(error) !== SyntaxError.prototype) {
      return error; // without a text by the script's own will
    }
    if(error.message === "Maximum call stack size exceeded" || error.message === "stack overflow") {
      return java_error_("java.lang.StackOverflowError", null);
    }
    var text = own.has(error) ? null : worded(error.message, error.stack);
    Object.defineProperty(error, "message", { configurable: true, get: function() {
      if(text === null) {
        unlike_("the text of an error that Nashorn words otherwise");
      }
      return text;
    }, set: function(value) { text = `${value}`; } });
    return error;
  };

  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array".split(" ").forEach(function(name) {
    keep(globals[name], "BYTES_PER_ELEMENT");
    keep(globals[name].prototype, "BYTES_PER_ELEMENT");
  });
  keep(Object.getPrototypeOf(Uint8Array.prototype), "set subarray buffer byteLength byteOffset");
  keep(Object.getPrototypeOf(Uint8Array), "");
  HAS["String.prototype"] += " " + JAVA_STRING;
  HAS["Number.prototype"] += " " + JAVA_NUMBER;
  nativeKeys(HAS).forEach(function(path) {
    var parts = path.split(".");
    keep(parts.length === 1 ? globals[parts[0]] : globals[parts[0]][parts[1]], HAS[path]);
  });
  ELSEWHERE.split(" ").forEach(function(name) {
    Object.defineProperty(globals, name, { configurable: true, get: function() { unlike_(name); },
                                           set: function(value) { define(globals, name, value); } });
  });
  keep(globals, GLOBALS + " " + ELSEWHERE);
  delete globals.constructor;
})();
