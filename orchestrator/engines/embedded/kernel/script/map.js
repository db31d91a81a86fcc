// SPDX-License-Identifier: Apache-2.0
// java.util.HashMap with strings and longs as keys: it visits them in the order of their hashes in a table whose size
// doubles.
function map_(name) {
  var map = new Map(), room = 16;
  function known(key) {
    if(typeof key === "number" || !(typeof key === "string" || Long_.is(key) || key === null)) {
      unlike_("a key of a Java map that is neither a string nor a long");
    }
    return Long_.is(key) ? "L" + key : key === null ? "N" : "S" + key;
  }
  function place(key) {
    var hash = key === null ? 0 : Long_.is(key) ? key.hashCode() : string_hash_(key);
    return (hash ^ (hash >>> 16)) & (room - 1);
  }
  function entries() {
    var found = [], place_of = [];
    map.forEach(function(entry) { found.push(entry); place_of.push(place(entry[0])); });
    return found.map(function(_, i) { return i; }).sort(function(a, b) { return place_of[a] - place_of[b] || a - b; })
      .map(function(i) { return found[i]; });
  }
  function get(key) { var entry = map.get(known(key)); return entry === undefined ? null : entry[1]; }
  var methods = {
    put: function(key, value) {
      var old = get(key);
      map.set(known(key), [key, value]);
      if(map.size > 0.75 * room) {
        room *= 2;
      }
      return old;
    },
    get: get,
    containsKey: function(key) { return map.has(known(key)); },
    remove: function(key) { var old = get(key); map.delete(known(key)); return old; },
    isEmpty: function() { return map.size === 0; },
    size: function() { return map.size; },
    clear: function() { map.clear(); },
    getOrDefault: function(key, other) { return map.has(known(key)) ? get(key) : other; },
    putIfAbsent: function(key, value) { var old = get(key); if(old === null) { methods.put(key, value); } return old; },
    toString: function() {
      return "{" + entries().map(function(entry) {
        if(entry[1] !== null && typeof entry[1] !== "string" && !Long_.is(entry[1])) {
          unlike_("the text of a Java map that holds more than strings and longs");
        }
        return entry[0] + "=" + entry[1];
      }).join(", ") + "}";
    }
  };
  return java_(name, methods, {
    get: function(key) { return map.has("S" + key) ? get(key) : undefined; },
    set: function(key, value) { methods.put(key, value); },
    keys: function() { return entries().map(function(entry) { return String(entry[0]); }); }
  });
}
