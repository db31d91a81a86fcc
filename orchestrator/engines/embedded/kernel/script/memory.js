// SPDX-License-Identifier: Apache-2.0
// An emulated Tmote Sky's memory as a script finds it in Cooja (MspMoteMemory, VarMemory), and classes by their names.

var RAM_ = [0x1100, 0x3900], MEMORY_ = 0x10000, BELOW_ = 0x1000; // registers of peripherals, and copies

function memory_bytes_(index, address, size) {
  if(address < 0 || address + size > MEMORY_) {
    throw java_error_("java.lang.ArrayIndexOutOfBoundsException", "arraycopy: " + (address < 0 ? "source index " + address
      : "last source index " + (address + size)) + " out of bounds for int[" + MEMORY_ + "]");
  }
  if(!(address >= BELOW_ && size >= 0)) {
    unlike_("reading memory from " + address + ", which isn't RAM or flash");
  }
  return ask_(kind_.MEMORY, index, address, String(size));
}

function set_memory_bytes_(index, address, digits) {
  if(!(address >= RAM_[0] && address + digits.length / 2 <= RAM_[1])) {
    unlike_("writing memory from " + address + ", which isn't RAM");
  }
  tell_(kind_.SET_MEMORY, index, address, 0, 0, 0, digits);
}

function hex_(bits, size) { // of a BigInt, the lowest byte first
  var digits = "";
  for(var i = 0; i < size; i++) {
    digits += ("0" + ((bits >> BigInt_(8 * i)) & 255n).toString(16)).slice(-2);
  }
  return digits;
}

function array_of_bytes_(digits) {
  var list = [];
  for(var i = 0; i < digits.length; i += 2) {
    list.push(parseInt(digits.substr(i, 2), 16) << 24 >> 24);
  }
  return java_array_(list);
}

function digits_of_array_(array) {
  var digits = "";
  if(!Array.isArray(array)) {
    throw misfit_();
  }
  for(var i = 0; i < array.length; i++) {
    digits += hex_(BigInt_(integer_(array[i]) & 255), 1);
  }
  return digits;
}

function memory_(index) {
  return java_("memory", {
    getTotalSize: function() { return MEMORY_; },
    getStartAddr: function() { return Long_.of("0"); },
    getMemorySegment: function(address, size) { return array_of_bytes_(memory_bytes_(index, number_(plain_(address)), integer_(size))); },
    setMemorySegment: function(address, bytes) { set_memory_bytes_(index, number_(plain_(address)), digits_of_array_(bytes)); },
    index_: index,
    toString: function() { unlike_("the text of a memory"); }
  });
}

function variables_(memory) {
  if(memory === null) {
    unlike_("a VarMemory of null");
  }
  if(!is_java_(memory) || !("index_" in memory) || !("getMemorySegment" in memory)) {
    throw misfit_();
  }
  var index = memory.index_;
  function found(name) { // [address, size]; null: there is none
    var answer = name === null || name === undefined ? "" : ask_(kind_.VARIABLE, index, 0, text_(name));
    return answer === "" ? null : answer.split(" ").map(Number);
  }
  function variable(name) {
    var pair = found(name);
    if(pair === null) {
      throw java_error_("org.contikios.cooja.mote.memory.UnknownVariableException", `Unknown variable name: ${name}`);
    }
    return pair;
  }
  function place(where) { // a name or an address
    return typeof where === "string" ? variable(where)[0] : number_(plain_(where));
  }
  var methods = {
    variableExists: function(name) { return found(name) !== null; },
    getVariableAddress: function(name) { return Long_.of(String(variable(name)[0])); },
    getVariableSize: function(name) { return variable(name)[1]; },
    getByteArray: function(where, length) { return memory.getMemorySegment(place(where), length); },
    setByteArray: function(where, bytes) { memory.setMemorySegment(place(where), bytes); },
    toString: function() { unlike_("the text of a VarMemory"); }
  };
  function add(name, size, is_long) { // an int has 2 bytes, as a pointer; a long has 8
    methods["get" + name + "ValueOf"] = function(where) {
      var digits = memory_bytes_(index, place(where), size).match(/../g).reverse().join("");
      var value = BigInt_.asIntN(8 * size, BigInt_("0x" + digits));
      return is_long ? Long_.of(String(value)) : Number(value);
    };
    methods["set" + name + "ValueOf"] = function(where, value) {
      var bits = Long_.is(value) ? BigInt_(Long_.digits(value)) : BigInt_(is_long ? integer_(value) : value | 0);
      set_memory_bytes_(index, place(where), hex_(BigInt_.asUintN(name === "Int32" ? 16 : 8 * size, bits), size)); // as Cooja does
    };
  }
  add("Int8", 1), add("Byte", 1), add("Int16", 2), add("Short", 2), add("Int", 2), add("Int32", 4);
  add("Addr", 2, true), add("Int64", 8, true), add("Long", 8, true);
  return java_("VarMemory", methods);
}

// ---- classes ----

// Classes of interfaces, by their names: `of_` has the simple names of those interfaces of motes that are of the class. In
// Nashorn a class's name stands for its static members, and only `.class` is the class itself.
var interface_classes_ = (function() {
  var classes = {}, kinds = {
    MoteID: ["ContikiMoteID", "MspMoteID"], Button: ["ContikiButton", "SkyButton"], LED: ["ContikiLED", "MspLED"],
    SerialPort: ["ContikiRS232", "MspSerial"], Log: ["ContikiRS232", "MspSerial", "MspDebugOutput"], Position: ["Position"]
  };
  function add(full, of) {
    var itself = java_("class " + full, { of_: of, toString: function() { return "class " + full; } });
    classes[full] = java_(full, {
      static_: true, getClass: function() { return itself; }, toString: function() { unlike_("the text of a class's name"); }
    });
  }
  Object_.keys(kinds).forEach(function(kind) {
    add("org.contikios.cooja.interfaces." + kind, kinds[kind]);
    kinds[kind].forEach(function(simple) { add(class_(simple), [simple]); });
  });
  return classes;
})();

function class_of_(name) {
  if(name === "org.contikios.cooja.mote.memory.VarMemory") {
    return VarMemory_;
  }
  return interface_classes_[name] || unlike_("the class " + name);
}

function VarMemory_(memory) {
  if(new.target === undefined || arguments.length !== 1) {
    throw misfit_();
  }
  return variables_(memory);
}

var Java = java_("Java", {
  type: function(name) { return class_of_(text_(name)); },
  toString: function() { return "Java"; }
});

// A package: its names are packages or classes.
function package_(name) {
  return new Proxy_(Object.create(null), {
    get: function(target, property) {
      if(typeof property === "symbol") {
        unlike_("the text of a package");
      }
      var full = name + "." + property;
      return /^[A-Z]/.test(property) ? class_of_(full) : package_(full);
    }
  });
}
var org = package_("org"), Packages = Object.freeze({ org: org });
