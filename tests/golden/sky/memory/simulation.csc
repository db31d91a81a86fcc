<?xml version="1.0" encoding="UTF-8"?>
<simconf version="2023090101">
  <simulation>
    <title>sky memory</title>
    <randomseed>123456</randomseed>
    <motedelay_us>1000000</motedelay_us>
    <radiomedium>
      org.contikios.cooja.radiomediums.UDGM
      <transmitting_range>50.0</transmitting_range>
      <interference_range>100.0</interference_range>
      <success_ratio_tx>0.95</success_ratio_tx>
      <success_ratio_rx>0.8</success_ratio_rx>
    </radiomedium>
    <motetype>
      org.contikios.cooja.mspmote.SkyMoteType
      <description>probe</description>
      <firmware>[CONFIG_DIR]/../probe.sky</firmware>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="0" y="0" />
        </interface_config>
        <interface_config>
          org.contikios.cooja.mspmote.interfaces.MspMoteID
          <id>1</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="27" y="3" />
        </interface_config>
        <interface_config>
          org.contikios.cooja.mspmote.interfaces.MspMoteID
          <id>2</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="54" y="6" />
        </interface_config>
        <interface_config>
          org.contikios.cooja.mspmote.interfaces.MspMoteID
          <id>3</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="4" y="25" />
        </interface_config>
        <interface_config>
          org.contikios.cooja.mspmote.interfaces.MspMoteID
          <id>4</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="29" y="29" />
        </interface_config>
        <interface_config>
          org.contikios.cooja.mspmote.interfaces.MspMoteID
          <id>5</id>
        </interface_config>
      </mote>
    </motetype>
  </simulation>
  <plugin>
    org.contikios.cooja.plugins.ScriptRunner
    <plugin_config>
      <script>TIMEOUT(1500, log.testOK());
var VarMemory = Java.type("org.contikios.cooja.mote.memory.VarMemory");
var Position = Java.type("org.contikios.cooja.interfaces.Position");
var MoteID = Java.type("org.contikios.cooja.interfaces.MoteID");
var names = ["ticks", "frames", "buttons", "node_id", "line", "msp430_bits_to_clear_", "nothing"];
var reads = ["variableExists", "getVariableAddress", "getVariableSize", "getInt8ValueOf", "getByteValueOf", "getInt16ValueOf", "getShortValueOf",
             "getIntValueOf", "getInt32ValueOf", "getInt64ValueOf", "getLongValueOf", "getAddrValueOf"];
var n = 0, m;
function show(what, get) {
  try {
    var value = get();
    log.log(what + " = " + value + " (" + typeof value + ")\n");
  } catch(e) {
    log.log(what + " threw " + e + "\n");
  }
}
function text(bytes) {
  var t = bytes.length + ":";
  for(var i = 0; i &lt; bytes.length; i++) { t += " " + bytes[i]; }
  return t;
}
while(true) {
  YIELD();
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  n++;
  if(n % 20 == 3) {
    m = new VarMemory(mote.getMemory());
    names.forEach(function(name) {
      reads.forEach(function(read) { show(read + " " + name, function() { return m[read](name); }); });
    });
    show("array", function() { return text(m.getByteArray("line", 8)); });
    show("sum", function() { return m.getIntValueOf("frames") + 1; });
    show("by address", function() { return m.getIntValueOf(m.getVariableAddress("node_id")); });
    show("in flash", function() { return m.getInt16ValueOf(0xfffe); });
    show("beyond", function() { return m.getIntValueOf(65535); });
    show("before", function() { return m.getIntValueOf(-1); });
    show("name null", function() { return m.variableExists(null); });
    show("size", function() { return mote.memory.totalSize + " from " + mote.getMemory().getStartAddr(); });
    show("segment", function() { return text(mote.getMemory().getMemorySegment(m.getVariableAddress("node_id"), 2)); });
    show("by package", function() { return new org.contikios.cooja.mote.memory.VarMemory(mote.getMemory()).getIntValueOf("node_id"); });
    show("by Packages", function() { return new Packages.org.contikios.cooja.mote.memory.VarMemory(mote.memory).getIntValueOf("node_id"); });
    show("no class", function() { return mote.getInterfaces().getInterfaceOfType(Position); });
    show("position", function() { return mote.getInterfaces().getInterfaceOfType(Position.class).getXCoordinate(); });
    show("id", function() { return mote.getInterfaces().getInterfaceOfType(MoteID.class).getMoteID(); });
    show("button", function() { return mote.interfaces.getInterfaceOfType(org.contikios.cooja.mspmote.interfaces.SkyButton.class).isPressed(); });
    show("log", function() { return mote.interfaces.getInterfaceOfType(Packages.org.contikios.cooja.interfaces.Log.class) === mote.interfaces.getLog(); });
    show("no interface", function() {
      return mote.interfaces.getInterfaceOfType(Java.type("org.contikios.cooja.contikimote.interfaces.ContikiRS232").class);
    });
  }
  if(n % 20 == 9) {
    var led = mote.getInterfaces().getLED();
    show("lit", function() { return [led.isAnyOn(), led.isRedOn(), led.isGreenOn(), led.isYellowOn()].join(); });
  }
  if(n == 25) { m.setIntValueOf("frames", 1000); show("1000", function() { return m.getIntValueOf("frames"); }); }
  if(n == 30) { m.setInt16ValueOf("frames", 65535 + 300); show("65835", function() { return m.getIntValueOf("frames"); }); }
  if(n == 32) { m.setInt8ValueOf("ticks", 200); show("200", function() { return m.getInt16ValueOf("ticks"); }); }
  if(n == 34) { m.setByteValueOf("ticks", -1); show("-1", function() { return m.getInt16ValueOf("ticks"); }); }
  if(n == 36) { m.setByteArray("ticks", [7, 1]); show("7, 1", function() { return m.getInt16ValueOf("ticks"); }); }
  if(n == 38) {
    m = new VarMemory(mote.getMemory());
    mote.getMemory().setMemorySegment(m.getVariableAddress("frames"), [200, 100]);
    show("200, 100", function() { return m.getInt16ValueOf("frames"); });
  }
  if(n == 40) { m.setLongValueOf("line", 81985529216486895); show("a long", function() { return m.getLongValueOf("line"); }); }
  if(n == 42) { m.setInt32ValueOf(m.getVariableAddress("line"), -123456789); show("-123456789", function() { return m.getInt32ValueOf("line"); }); }
  if(n == 44) { m.setAddrValueOf("frames", 40000); show("40000", function() { return m.getAddrValueOf("frames"); }); }
  if(n == 46) { m.setShortValueOf("frames", 3.7); show("3.7", function() { return m.getShortValueOf("frames"); }); }
}
</script>
      <active>true</active>
    </plugin_config>
  </plugin>
</simconf>
