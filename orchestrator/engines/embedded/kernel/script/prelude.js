// SPDX-License-Identifier: Apache-2.0
// What a script of Cooja's ScriptRunner finds: its own functions and the simulation's objects. wait_, log_, tell_, ask_,
// print_ and unsupported_ are those of javascript_calls.c; Java's values come from java.js, what Nashorn lacks goes in nashorn.js.

var TIMEOUT = false, SHUTDOWN = false, timeout_function = null;
var msg = ""; // id and time: from the first line on

function TestOK() { Error.call(this); }
TestOK.prototype = Object.create(Error.prototype);
function TestFailed() { Error.call(this); }
TestFailed.prototype = Object.create(Error.prototype);
function Shutdown() { Error.call(this); }
Shutdown.prototype = Object.create(Error.prototype);

// The numbers of request_kind in javascript_calls.h.
var kind_ = Object.freeze({ MOVE: 21, SET_ID: 22, APPEND: 23, WRITE_FILE: 24, SPEED: 25, SET_MEMORY: 26, ADD: 30, REMOVE: 31, WRITE: 32, GENERATE: 33, PRESS: 34, RELEASE: 35, CLICK: 36, SIGNAL_PIR: 37, VIBRATE: 38,
                            GENERATE_MOTE: 40, MOTES: 41, MOTE: 42, IS_PRESSED: 43, LEDS: 44, VARIABLE: 45, MEMORY: 46, POWER_TIMES: 47 });

var javas_ = new WeakSet();

function is_java_(value) {
  return javas_.has(value);
}

// A Java object: `getX()` is also the property `x`; a method takes as many arguments as it has. A name that isn't here ends
// the run and says so. `open`: of a map, which has names of its own to get, set and list.
function java_(name, methods, open) {
  var descriptors = Object_.descriptors(methods), target = Object.create(null, descriptors);
  Object_.keys(descriptors).forEach(function(one) {
    var method = descriptors[one].value;
    if(typeof method === "function" && !method.any_) {
      Object.defineProperty(target, one, { value: function() {
        if(arguments.length !== method.length) {
          throw misfit_();
        }
        return method.apply(this, arguments);
      } });
    }
  });
  var object = new Proxy_(target, {
    get: function(target, property) {
      if(typeof property === "symbol") {
        return property === Symbol_.toPrimitive ? function() { return methods.toString(); }
          : property === Symbol_.toStringTag ? unlike_("Object.prototype.toString() of " + name) : undefined;
      }
      if(property in target) {
        return target[property];
      }
      if(open) {
        return open.get(property);
      }
      var getter = "get" + property.charAt(0).toUpperCase() + property.slice(1);
      if(getter in target) {
        return target[getter]();
      }
      unlike_(name + "." + property);
    },
    has: function(target, property) { return property in target || (open !== undefined && open.keys().indexOf(property) >= 0); },
    set: function(target, property, value) {
      if(!open) {
        unlike_("setting " + name + "." + property);
      }
      open.set(property, value);
      return true;
    },
    ownKeys: function() { return open ? open.keys() : []; },
    getOwnPropertyDescriptor: function(target, property) {
      return open && open.keys().indexOf(property) >= 0 ? { value: open.get(property), enumerable: true, configurable: true, writable: true } : undefined;
    }
  });
  javas_.add(object);
  return object;
}
var Symbol_ = { toPrimitive: Symbol.toPrimitive, toStringTag: Symbol.toStringTag }, Object_ = { descriptors: Object.getOwnPropertyDescriptors, keys: Object.keys };

// A method with any number of arguments.
function any_(method) {
  method.any_ = true;
  return method;
}

function number_(value) {
  return typeof value === "number" ? value : Number(value);
}

function integer_(value) {
  value = number_(value);
  return value - value % 1 || 0;
}

// [its id, x, y, z (m), number of its type]
function state_(index) {
  return ask_(kind_.MOTE, index, 0).split(" ").map(Number);
}

function position_(index) {
  var self = java_("Position", {
    setCoordinates: function(x, y, z) { tell_(kind_.MOVE, index, 0, number_(x), number_(y), number_(z), ""); },
    getXCoordinate: function() { return state_(index)[1]; },
    getYCoordinate: function() { return state_(index)[2]; },
    getZCoordinate: function() { return state_(index)[3]; },
    getDistanceTo: function(other) {
      var there = "getInterfaces" in other ? other.getInterfaces().getPosition() : other;
      var x = Math.abs(self.getXCoordinate() - there.getXCoordinate());
      var y = Math.abs(self.getYCoordinate() - there.getYCoordinate());
      var z = Math.abs(self.getZCoordinate() - there.getZCoordinate());
      return Math.sqrt(x * x + y * y + z * z);
    },
    toString: function() { return "Position"; }
  });
  return self;
}

function serial_(index, name) {
  return java_(name, {
    writeString: function(text) { tell_(kind_.WRITE, index, 0, 0, 0, 0, text_(text)); },
    toString: function() { return name; }
  });
}

function button_(index, name) {
  return java_(name, {
    clickButton: function() { tell_(kind_.CLICK, index, 0, 0, 0, 0, ""); },
    pressButton: function() { tell_(kind_.PRESS, index, 0, 0, 0, 0, ""); },
    isPressed: function() { return ask_(kind_.IS_PRESSED, index, 0).split(" ")[0] === "1"; },
    releaseButton: function() { tell_(kind_.RELEASE, index, 0, 0, 0, 0, ""); },
    toString: function() { return name; }
  });
}

// Of an emulated Tmote Sky.
function leds_(index) {
  function lit(mask) {
    return function() { return (Number(ask_(kind_.LEDS, index, 0)) & mask) !== 0; };
  }
  return java_("MspLED", {
    isAnyOn: lit(7), isRedOn: lit(1), isGreenOn: lit(2), isYellowOn: lit(4),
    getLeds: function() { return Number(ask_(kind_.LEDS, index, 0)); },
    getLedsCount: function() { return 3; },
    isLedOn: function(led) { return lit(1 << integer_(led))(); },
    toString: function() { return "MspLED"; }
  });
}

function sensor_(index, name, kind) {
  return java_(name, {
    triggerChange: function() { tell_(kind, index, 0, 0, 0, 0, ""); },
    toString: function() { return name; }
  });
}

function class_(simple) {
  var folder = simple.slice(0, 7) === "Contiki" ? "contikimote." : /^(Msp|Sky)/.test(simple) ? "mspmote." : "";
  return "org.contikios.cooja." + folder + "interfaces." + simple;
}

function interfaces_(index, type) {
  var has = types_[type].interfaces;
  // Makes an interface whose class a Cooja mote and an emulated Tmote Sky name differently; null if the mote has neither.
  function interface_(make, names) {
    var name = has.filter(function(each) { return names.indexOf(each) >= 0; })[0];
    return name === undefined ? null : make(index, name);
  }
  var position = position_(index), serial = interface_(serial_, ["ContikiRS232", "MspSerial"]);
  var button = interface_(button_, ["ContikiButton", "SkyButton"]), leds = interface_(leds_, ["MspLED"]);
  var identity_name = types_[type].sky ? "MspMoteID" : "ContikiMoteID";
  var identity = java_(identity_name, {
    getMoteID: function() { return state_(index)[0]; },
    setMoteID: function(id) { tell_(kind_.SET_ID, index, integer_(id), 0, 0, 0, ""); },
    toString: function() { return identity_name; }
  });
  var pir = has.indexOf("ContikiPIR") >= 0 ? sensor_(index, "ContikiPIR", kind_.SIGNAL_PIR) : null;
  var here = { Position: position, ContikiMoteID: identity, MspMoteID: identity, ContikiRS232: serial, MspSerial: serial,
               ContikiButton: button, SkyButton: button, MspLED: leds, ContikiPIR: pir,
               ContikiVib: sensor_(index, "ContikiVib", kind_.VIBRATE) };
  return java_("interfaces", {
    get: function(name) { // the first in the file's order whose class's name ends so
      name = text_(name);
      var simple = has.filter(function(one) { return class_(one).slice(-name.length) === name || name === ""; })[0];
      if(simple !== undefined && !(simple in here)) {
        unsupported_("the mote interface " + simple, new Error().stack);
      }
      return simple === undefined ? null : here[simple];
    },
    getInterfaceOfType: function(kind) { // the first in the file's order that is of the class
      if(is_java_(kind) && "static_" in kind) {
        throw java_error_("java.lang.ClassCastException", "Cannot cast jdk.dynalink.beans.StaticClass to java.lang.Class");
      }
      if(!is_java_(kind) || !("of_" in kind)) {
        throw misfit_();
      }
      var simple = has.filter(function(one) { return kind.of_.indexOf(one) >= 0; })[0];
      if(simple !== undefined && !(simple in here)) {
        unsupported_("the mote interface " + simple, new Error().stack);
      }
      return simple === undefined ? null : here[simple];
    },
    getPIR: function() { return pir; },
    getPosition: function() { return position; },
    getMoteID: function() { return identity; },
    getLog: function() { // the first in the file's order
      if(has.indexOf("MspDebugOutput") >= 0 && has.indexOf("MspDebugOutput") < has.indexOf("MspSerial")) {
        unsupported_("MspDebugOutput as a mote's first log", new Error().stack);
      }
      return serial;
    },
    getLED: function() {
      if(!types_[type].sky) {
        unsupported_("interfaces.getLED", new Error().stack);
      }
      return leds;
    },
    getSerialPort: function() { return serial; },
    getButton: function() { return button; },
    toString: function() { return "interfaces"; }
  });
}

var motes_ = [];

// Returns the same object whenever the script meets the same mote.
function mote_(index) {
  if(motes_[index] === undefined) {
    var type = state_(index)[4], interfaces = interfaces_(index, type), memory = memory_(index);
    motes_[index] = java_("mote", {
      getID: function() { return state_(index)[0]; },
      getInterfaces: function() { return interfaces; },
      getType: function() { return mote_types_[type]; },
      getSimulation: function() { return sim; },
      getMemory: function() {
        if(!types_[type].sky) {
          unsupported_("the memory of a Cooja mote", new Error().stack);
        }
        return memory;
      },
      index_: index,
      toString: function() { return (types_[type].sky ? "Sky " : "Contiki ") + state_(index)[0]; }
    });
  }
  return motes_[index];
}

var mote_types_ = types_.map(function(type, number) {
  return java_("mote type", {
    generateMote: function(simulation) { return mote_(integer_(ask_(kind_.GENERATE_MOTE, 0, number))); },
    getIdentifier: function() { return type.identifier; },
    getDescription: function() { return type.description; },
    toString: function() { return type.identifier; }
  });
});

// [[index, id], ...]
function present_() {
  var numbers = ask_(kind_.MOTES, 0, 0).split(" ").map(Number), pairs = [];
  for(var i = 0; i + 1 < numbers.length; i += 2) {
    pairs.push([numbers[i], numbers[i + 1]]);
  }
  return pairs;
}

function all_motes_() {
  return present_().map(function(pair) { return mote_(pair[0]); });
}

// As Java's %2.2f: the shortest digits of the number, rounded half up.
function percent_(number) {
  var digits = String(number).split("."), behind = (digits[1] || "") + "00";
  if(number !== number || number < 1e-6) {
    return (number !== number ? "NaN" : "0.00") + " %";
  }
  number = Number(digits[0] + behind.slice(0, 2)) + (behind.charAt(2) >= "5" ? 1 : 0);
  digits = ("00" + number).slice(-Math.max(3, String(number).length));
  return digits.slice(0, -2) + "." + digits.slice(-2) + " %";
}

// [monitored, on, TX, RX, interfered] (us); null: the mote has no radio
function power_times_(index) {
  var text = ask_(kind_.POWER_TIMES, index, 0);
  return text === "" ? null : text.split(" ").map(Number);
}

function power_lines_(name, times, ratio, hardware, traffic) {
  var names = (hardware ? ["ON"] : [null]).concat(traffic ? ["TX", "RX", "INT"] : []);
  return names.map(function(what, place) {
    return what === null ? "" : name + " " + what + " " + times[place + 1] + " us " + percent_(ratio(times[place + 1], times[0])) + "\n";
  }).join("");
}

function power_of_mote_(mote, times, hardware, traffic) {
  var name = mote.toString().replace(/ /g, "_");
  return name + " MONITORED " + times[0] + " us\n" +
         power_lines_(name, times, function(part, whole) { return 100 * (part / whole); }, hardware, traffic);
}

// Cooja's plugin; null if the .csc doesn't have it.
var power_tracker_ = !has_power_tracker_ ? null : java_("PowerTracker", {
  radioStatistics: function(hardware, traffic, average) {
    var tracked = all_motes_().map(function(mote) { return [mote, power_times_(mote.index_)]; }).filter(function(pair) { return pair[1] !== null; });
    var sum = tracked.reduce(function(sum, pair) { return sum.map(function(time, place) { return time + pair[1][place]; }); }, [0, 0, 0, 0, 0]);
    var text = power_lines_("AVG", sum, function(part, whole) { return 100 * part / whole; }, hardware, traffic);
    return text + (average ? "" : tracked.map(function(pair) { return power_of_mote_(pair[0], pair[1], hardware, traffic); }).join(""));
  },
  getMoteTrackerOf: function(mote) {
    if(mote === null || power_times_(mote.index_) === null) {
      return null;
    }
    return java_("MoteTracker", { toString: function() { return power_of_mote_(mote, power_times_(mote.index_), true, true); } });
  },
  reset: function() { unsupported_("PowerTracker.reset(), after which Cooja stops at a radio's next event", new Error().stack); },
  toString: function() { unlike_("the text of PowerTracker"); }
});

var PLUGINS_ = ["plugins.ScriptRunner", "plugins.Mobility", "serialsocket.SerialSocketServer", "serialsocket.SerialSocketClient"];
var cooja_ = java_("Cooja", {
  getPlugin: function(name) { // the first that was started whose class's name ends so; those of the window were not
    function ends(one) {
      return ("org.contikios.cooja." + one).slice(-name.length) === name || name === "";
    }
    name = text_(name);
    if(PLUGINS_.some(ends)) {
      unsupported_("Cooja.getPlugin(" + JSON.stringify(name) + ")", new Error().stack);
    }
    return ends("plugins.PowerTracker") ? power_tracker_ : null;
  },
  toString: function() { unlike_("the text of Cooja"); }
});

var sim = java_("sim", {
  getCooja: function() { return cooja_; },
  getMotes: function() { return java_array_(all_motes_()); },
  getMotesCount: function() { return present_().length; },
  getMote: function(place) { return all_motes_()[place]; },
  getMoteWithID: function(id) {
    var number = integer_(id), found = present_().filter(function(pair) { return pair[1] === number; })[0];
    return found === undefined ? null : mote_(found[0]);
  },
  getMoteTypes: function() { return java_array_(mote_types_.slice()); },
  addMote: function(mote) { tell_(kind_.ADD, mote.index_, 0, 0, 0, 0, ""); },
  removeMote: function(mote) { tell_(kind_.REMOVE, mote.index_, 0, 0, 0, 0, ""); },
  getRandomSeed: function() { return Long_.of(seed_); },
  getSimulationTime: function() { return Long_.of(String(now_)); },
  getSimulationTimeMillis: function() { return Long_.of(String(Math.floor(now_ / 1000))); },
  getTitle: function() { return title_; },
  setSpeedLimit: any_(function(speed) { tell_(kind_.SPEED, 0, 0, Number(speed) || 0, 0, 0, ""); }), // null: none
  toString: function() { return title_; }
});
var now_ = 0; // us

// Files are in the folder script-files beside the log, and nowhere else.
function file_(kind, method, name, text) {
  if(!/^[^.\/\0][^\/\0]*$/.test(String(name))) {
    unsupported_("log." + method + "() to " + JSON.stringify(String(name)) + ", which is not a plain file name", new Error().stack);
  }
  tell_(kind, 0, 0, 0, 0, 0, String(name) + "/" + whole_(text));
}

var whole_text_ = String.prototype.isWellFormed;

// A text as Cooja's log takes it: once it was given half of a surrogate pair, it writes nothing more.
function whole_(text) {
  if(text === null) {
    throw java_error_("java.lang.NullPointerException", 'Cannot invoke "String.length()" because "str" is null');
  }
  text = `${text}`;
  if(!whole_text_.call(text)) {
    unlike_("half of a pair of surrogates in the log, after which Cooja's stays as it is");
  }
  return text;
}

// log.log() comes before the other names, because it is called most often.
var log = Object.create(java_("log", {
  append: function(name, text) { file_(kind_.APPEND, "append", name, text); },
  writeFile: function(name, text) { file_(kind_.WRITE_FILE, "writeFile", name, text); },
  generateMsg: function(mote, delay, text) {
    tell_(kind_.GENERATE, mote.index_, 1000 * integer_(delay), 0, 0, 0, text === null ? unlike_("a message of null") : `${text}`);
  },
  toString: function() { unlike_("the text of log"); }
}), { log: { value: function(text) {
  if(arguments.length !== 1) {
    throw misfit_();
  }
  log_(whole_(text));
} } });
javas_.add(log);

function GENERATE_MSG(delay, text) {
  log.generateMsg(mote, delay, text);
}

// Cooja prints this on its console; here it is shown for a run that crashes.
function print() {
  print_(Array.prototype.map.call(arguments, function(one) { return `${one}`; }).join(" "));
}

function write(mote, text) {
  mote.getInterfaces().getLog().writeString(text);
}

var node_mote_ = -1;
var node = { id: -1, lastMsg: null, write: function(text) { if(node.mote !== null) { write(node.mote, text); } },
             get mote() { return node_mote_ < 0 ? null : mote_(node_mote_); } };

var global = map_("global"); // Cooja's own

// The values of a line; the objects of its time and mote are made when they are asked for.
var globalThis_ = globalThis, now_time_ = null, now_mote_ = null, mote_index_ = -1, has_time_ = false;
function line_came_(index, number, now, text) {
  if(!has_time_) {
    has_time_ = true;
    Object.defineProperty(globalThis_, "time", {
      get: function() { return now_time_ === null ? (now_time_ = Long_.at(now_)) : now_time_; },
      set: function(value) { now_time_ = value; }, enumerable: true, configurable: true
    });
  }
  now_ = now;
  now_time_ = now_mote_ = null;
  mote_index_ = node_mote_ = index;
  globalThis_.id = number;
  msg = text;
  node.id = number;
  node.lastMsg = text;
}
Object.defineProperty(globalThis_, "mote", {
  get: function() { return now_mote_ === null && mote_index_ >= 0 ? (now_mote_ = mote_(mote_index_)) : now_mote_; },
  set: function(value) { now_mote_ = value; mote_index_ = -1; }, enumerable: true, configurable: true
});

// Waits for the next line, of which wait_() calls line_came_(). Returns false if the time is over.
function next_line_() {
  TIMEOUT = !wait_();
  return !TIMEOUT;
}
