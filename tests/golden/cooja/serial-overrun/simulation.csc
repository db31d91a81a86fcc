<?xml version='1.0' encoding='UTF-8'?>
<simconf version="2023090101">
  <simulation>
    <title>serial input beyond the end of its buffer, over the variables behind it</title>
    <randomseed>57</randomseed>
    <motedelay_us>50000</motedelay_us>
    <radiomedium>
      org.contikios.cooja.radiomediums.UDGM
      <transmitting_range>30.0</transmitting_range>
      <interference_range>50.0</interference_range>
      <success_ratio_tx>1.0</success_ratio_tx>
      <success_ratio_rx>0.9</success_ratio_rx>
    </radiomedium>
    <events>
      <logoutput>40000</logoutput>
    </events>
    <motetype>
      org.contikios.cooja.contikimote.ContikiMoteType
      <identifier>serial-overrun</identifier>
      <description>serial-overrun</description>
      <source>[CONFIG_DIR]/../../../../contiki-apps/probes/serial-overrun.c</source>
      <commands>$(MAKE) serial-overrun.cooja TARGET=cooja</commands>
      <moteinterface>org.contikios.cooja.interfaces.Position</moteinterface>
      <moteinterface>org.contikios.cooja.interfaces.Battery</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiVib</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiMoteID</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiRS232</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiBeeper</moteinterface>
      <moteinterface>org.contikios.cooja.interfaces.IPAddress</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiRadio</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiButton</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiPIR</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiClock</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiLED</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiCFS</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiEEPROM</moteinterface>
      <moteinterface>org.contikios.cooja.interfaces.Mote2MoteRelations</moteinterface>
      <moteinterface>org.contikios.cooja.interfaces.MoteAttributes</moteinterface>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="0.0" y="0.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AQAA</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>1</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="15.0" y="0.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AAEB</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>2</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="30.0" y="0.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AAIC</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>3</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="0.0" y="15.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AAMA</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>4</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="15.0" y="15.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AQQB</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>5</id>
        </interface_config>
      </mote>
      <mote>
        <interface_config>
          org.contikios.cooja.interfaces.Position
          <pos x="30.0" y="15.0"/>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiEEPROM
          <eeprom>AAUC</eeprom>
        </interface_config>
        <interface_config>
          org.contikios.cooja.contikimote.interfaces.ContikiMoteID
          <id>6</id>
        </interface_config>
      </mote>
    </motetype>
  </simulation>
  <plugin>
    org.contikios.cooja.plugins.Visualizer
    <plugin_config>
      <moterelations>true</moterelations>
      <skin>org.contikios.cooja.plugins.skins.IDVisualizerSkin</skin>
      <skin>org.contikios.cooja.plugins.skins.TrafficVisualizerSkin</skin>
      <skin>org.contikios.cooja.plugins.skins.UDGMVisualizerSkin</skin>
    </plugin_config>
    <bounds x="0" y="0" height="420" width="420" z="3"/>
  </plugin>
  <plugin>
    org.contikios.cooja.plugins.LogListener
    <plugin_config>
      <filter/>
      <formatted_time/>
      <coloring/>
    </plugin_config>
    <bounds x="420" y="0" height="420" width="700" z="2"/>
  </plugin>
  <plugin>
    org.contikios.cooja.plugins.TimeLine
    <bounds x="0" y="420" height="200" width="1120" z="1"/>
  </plugin>
  <plugin>
    org.contikios.cooja.plugins.ScriptRunner
    <plugin_config>
      <script>TIMEOUT(3000, log.testOK());
seed = 1;
function random(n) {
  seed = (seed * 1103 + 12345) % 1048573;
  return seed % n;
}
function one_of(usual, other) {
  return String.fromCharCode(random(3) == 0 ? other : usual);
}
function number(low) {
  return String.fromCharCode(low, 0, 0, 0);
}
function input(length) {
  s = "";
  for(i = 0; i &lt; 16; i++) {
    s += String.fromCharCode(1 + random(127));
  }
  s += one_of(random(60), 90) + one_of(0, 64 + random(16)) + "\0\0"; // the length
  s += one_of(0, 3) + one_of(1, 0) + one_of(1, 0) + one_of(100, 60); // the flag, receiving, on, power
  s += number(random(3) == 0 ? 15 : 26) + number(random(2) * random(100)) + number(random(90)) + number(random(127)) + number(random(127)) + number(0);
  s += number(random(5) == 0 ? 1 + random(50) : 0) + number(random(127)) + number(random(127));
  return s.substring(0, length);
}
n = 0;
while(true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if(!msg.startsWith("pause") &amp;&amp; !msg.startsWith("out") &amp;&amp; !msg.startsWith("(") &amp;&amp; !msg.startsWith(")")) {
    YIELD();
    continue;
  }
  n++;
  if(n % 3 == 0) {
    write(sim.getMoteWithID(1 + random(6)), input(random(61)));
  }
  if(n % 7 == 0) {
    write(mote, input(1 + random(18)));
    write(mote, input(1 + random(40)));
  }
  YIELD();
}
</script>
      <active>true</active>
    </plugin_config>
    <bounds x="1120" y="0" height="620" width="500"/>
  </plugin>
</simconf>
