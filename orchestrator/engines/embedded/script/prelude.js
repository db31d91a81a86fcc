// SPDX-License-Identifier: Apache-2.0
// What a script of Cooja's ScriptRunner finds: its own functions, the simulation's objects, and what of Java's strings
// and classes comes with Nashorn there. wait_, log_, tell_, ask_ and unsupported_ are host.py's.

var TIMEOUT = false, SHUTDOWN = false, timeout_function = null;
var mote = null, msg = "", id, time;

function TestOK() { Error.call(this); }
TestOK.prototype = Object.create(Error.prototype);
function TestFailed() { Error.call(this); }
TestFailed.prototype = Object.create(Error.prototype);
function Shutdown() { Error.call(this); }
Shutdown.prototype = Object.create(Error.prototype);

// As message_kind in kernel/javascript.h.
var kind_ = Object.freeze({ MOVE: 21, SET_ID: 22, APPEND: 23, WRITE_FILE: 24, ADD: 30, REMOVE: 31, WRITE: 32, GENERATE: 33, PRESS: 34, RELEASE: 35, CLICK: 36, SIGNAL_PIR: 37, VIBRATE: 38,
                            GENERATE_MOTE: 40, MOTES: 41, MOTE: 42, IS_PRESSED: 43 });

// A Java object: `getX()` is also the property `x`; a name that isn't here ends the run and says so.
function java_(name, methods) {
  return new Proxy(Object.create(null, Object.getOwnPropertyDescriptors(methods)), {
    get: function(target, property) {
      if(typeof property === "symbol") {
        return property === Symbol.toPrimitive ? function() { return methods.toString(); } : undefined;
      }
      if(property in target) {
        return target[property];
      }
      var getter = "get" + property.charAt(0).toUpperCase() + property.slice(1);
      if(getter in target) {
        return target[getter]();
      }
      unsupported_(name + "." + property, new Error().stack);
    },
    set: function(target, property) {
      unsupported_("setting " + name + "." + property, new Error().stack);
    }
  });
}

function number_(value) {
  return typeof value === "number" ? value : Number(value);
}

function integer_(value) {
  return Math.trunc(number_(value)) || 0;
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

function serial_(index) {
  return java_("ContikiRS232", {
    writeString: function(text) { tell_(kind_.WRITE, index, 0, 0, 0, 0, String(text)); },
    toString: function() { return "ContikiRS232"; }
  });
}

function button_(index) {
  return java_("ContikiButton", {
    clickButton: function() { tell_(kind_.CLICK, index, 0, 0, 0, 0, ""); },
    pressButton: function() { tell_(kind_.PRESS, index, 0, 0, 0, 0, ""); },
    isPressed: function() { return ask_(kind_.IS_PRESSED, index, 0).split(" ")[0] === "1"; },
    releaseButton: function() { tell_(kind_.RELEASE, index, 0, 0, 0, 0, ""); },
    toString: function() { return "ContikiButton"; }
  });
}

function sensor_(index, name, kind) {
  return java_(name, {
    triggerChange: function() { tell_(kind, index, 0, 0, 0, 0, ""); },
    toString: function() { return name; }
  });
}

function class_(simple) {
  return "org.contikios.cooja." + (simple.startsWith("Contiki") ? "contikimote.interfaces." : "interfaces.") + simple;
}

function interfaces_(index, type) {
  var has = types_[type].interfaces;
  var position = position_(index), serial = has.includes("ContikiRS232") ? serial_(index) : null;
  var button = has.includes("ContikiButton") ? button_(index) : null;
  var identity = java_("ContikiMoteID", {
    getMoteID: function() { return state_(index)[0]; },
    setMoteID: function(id) { tell_(kind_.SET_ID, index, integer_(id), 0, 0, 0, ""); },
    toString: function() { return "ContikiMoteID"; }
  });
  var pir = has.includes("ContikiPIR") ? sensor_(index, "ContikiPIR", kind_.SIGNAL_PIR) : null;
  var here = { Position: position, ContikiMoteID: identity, ContikiRS232: serial, ContikiButton: button, ContikiPIR: pir,
               ContikiVib: sensor_(index, "ContikiVib", kind_.VIBRATE) };
  return java_("interfaces", {
    get: function(name) { // the first in the file's order whose class's name ends so
      var simple = has.find(function(one) { return class_(one).endsWith(String(name)); });
      if(simple !== undefined && !(simple in here)) {
        unsupported_("the mote interface " + simple, new Error().stack);
      }
      return simple === undefined ? null : here[simple];
    },
    getPIR: function() { return pir; },
    getPosition: function() { return position; },
    getMoteID: function() { return identity; },
    getLog: function() { return serial; },
    getSerialPort: function() { return serial; },
    getButton: function() { return button; },
    toString: function() { return "interfaces"; }
  });
}

var motes_ = [];

// The same object whenever the script meets the same mote.
function mote_(index) {
  if(motes_[index] === undefined) {
    var type = state_(index)[4], interfaces = interfaces_(index, type);
    motes_[index] = java_("mote", {
      getID: function() { return state_(index)[0]; },
      getInterfaces: function() { return interfaces; },
      getType: function() { return mote_types_[type]; },
      getSimulation: function() { return sim; },
      index_: index,
      toString: function() { return "Contiki " + state_(index)[0]; }
    });
  }
  return motes_[index];
}

var mote_types_ = types_.map(function(type, number) {
  return java_("mote type", {
    generateMote: function() { return mote_(integer_(ask_(kind_.GENERATE_MOTE, 0, number))); },
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

// A Java long: a number where that is exact.
function long_(digits) {
  var value = Number(digits);
  return Number.isSafeInteger(value) ? value : {
    valueOf: function() { return value; },
    toString: function() { return digits; }
  };
}

var sim = java_("sim", {
  getMotes: all_motes_,
  getMotesCount: function() { return present_().length; },
  getMote: function(place) { return all_motes_()[place]; },
  getMoteWithID: function(id) {
    var found = present_().find(function(pair) { return pair[1] === integer_(id); });
    return found === undefined ? null : mote_(found[0]);
  },
  getMoteTypes: function() { return mote_types_.slice(); },
  addMote: function(mote) { tell_(kind_.ADD, mote.index_, 0, 0, 0, 0, ""); },
  removeMote: function(mote) { tell_(kind_.REMOVE, mote.index_, 0, 0, 0, 0, ""); },
  getRandomSeed: function() { return long_(seed_); },
  getSimulationTime: function() { return now_; },
  getSimulationTimeMillis: function() { return Math.floor(now_ / 1000); },
  getTitle: function() { return title_; },
  setSpeedLimit: function() {}, // it changes nothing but the wall clock
  toString: function() { return title_; }
});
var now_ = 0; // us

// In the folder script-files beside the log, and nowhere else.
function file_(kind, method, name, text) {
  if(!/^[^.\/\0][^\/\0]*$/.test(String(name))) {
    unsupported_("log." + method + "() to " + JSON.stringify(String(name)) + ", which is not a plain file name,", new Error().stack);
  }
  tell_(kind, 0, 0, 0, 0, 0, String(String(name) + "/" + String(text))); // a sum may be a rope, which host.py doesn't take
}

var log = java_("log", {
  log: aside_ ? function(text) { said_.push(String(text)); } : function(text) { log_(String(text)); },
  append: function(name, text) { file_(kind_.APPEND, "append", name, text); },
  writeFile: function(name, text) { file_(kind_.WRITE_FILE, "writeFile", name, text); },
  generateMsg: function(mote, delay, text) {
    tell_(kind_.GENERATE, mote.index_, 1000 * integer_(delay), 0, 0, 0, String(text));
  },
  toString: function() { return "log"; }
});

function GENERATE_MSG(delay, text) {
  log.generateMsg(mote, delay, text);
}

// To Cooja's console; here it is shown of a run that crashes.
function print() {
  print_(Array.prototype.map.call(arguments, String).join(" "));
}

function write(mote, text) {
  mote.getInterfaces().getLog().writeString(text);
}

var node = { mote: null, id: -1, lastMsg: null, write: function(text) { if(this.mote !== null) { write(this.mote, text); } } };

// A Java map that Cooja gives every script.
var global = (function() {
  var map = new Map();
  return java_("global", {
    put: function(key, value) { var old = map.get(key); map.set(key, value); return old === undefined ? null : old; },
    get: function(key) { return map.has(key) ? map.get(key) : null; },
    containsKey: function(key) { return map.has(key); },
    remove: function(key) { var old = map.get(key); map.delete(key); return old === undefined ? null : old; },
    isEmpty: function() { return map.size === 0; },
    size: function() { return map.size; },
    clear: function() { map.clear(); },
    toString: function() { return "global"; }
  });
})();

// Of a script that can't act on the simulation (host.py is told): lines come many at once, what it logs goes when they are
// done, and there are no motes.
var lines_ = [], line_ = 0, said_ = [];

function hand_back_() {
  if(said_.length > 0) {
    log_(String(said_.join("")));
    said_ = [];
  }
}

function next_line_aside_() {
  if(line_ >= lines_.length) {
    hand_back_();
    var all = wait_();
    if(all === "") {
      TIMEOUT = true;
      return false;
    }
    lines_ = all.split("\n");
    lines_.pop();
    line_ = 0;
  }
  var line = lines_[line_++], first = line.indexOf(" "), second = line.indexOf(" ", first + 1);
  id = Number(line.slice(0, first));
  time = now_ = Number(line.slice(first + 1, second));
  msg = line.slice(second + 1);
  return true;
}

// Waits for the next line. False: the time is over.
function next_line_() {
  if(aside_) {
    return next_line_aside_();
  }
  var line = wait_();
  if(line === "") {
    TIMEOUT = true;
    return false;
  }
  var ends = [line.indexOf(" ")];
  ends[1] = line.indexOf(" ", ends[0] + 1);
  ends[2] = line.indexOf(" ", ends[1] + 1);
  mote = mote_(Number(line.slice(0, ends[0])));
  id = Number(line.slice(ends[0] + 1, ends[1]));
  time = now_ = Number(line.slice(ends[1] + 1, ends[2]));
  msg = line.slice(ends[2] + 1);
  node.mote = mote;
  node.id = id;
  node.lastMsg = msg;
  return true;
}

// A string of JavaScript is one of Java, too.
(function(methods) {
  Object.keys(methods).forEach(function(name) {
    Object.defineProperty(String.prototype, name, { value: methods[name], writable: true, configurable: true });
  });
})({
  contains: function(part) { return this.indexOf(part) !== -1; },
  equals: function(other) { return typeof other === "string" && this.valueOf() === other; },
  equalsIgnoreCase: function(other) { return typeof other === "string" && this.toLowerCase() === other.toLowerCase(); },
  isEmpty: function() { return this.length === 0; },
  matches: function(pattern) { return new RegExp("^(?:" + pattern + ")$").test(this); },
  replaceAll: function(pattern, text) { return this.replace(new RegExp(pattern, "g"), text); },
  replaceFirst: function(pattern, text) { return this.replace(new RegExp(pattern), text); },
  compareTo: function(other) {
    for(var i = 0; i < this.length && i < other.length; i++) {
      if(this.charCodeAt(i) !== other.charCodeAt(i)) {
        return this.charCodeAt(i) - other.charCodeAt(i);
      }
    }
    return this.length - other.length;
  },
  hashCode: function() {
    var hash = 0;
    for(var i = 0; i < this.length; i++) {
      hash = (31 * hash + this.charCodeAt(i)) | 0;
    }
    return hash;
  }
});
