<?xml version="1.0" encoding="UTF-8"?>
<simconf version="2023090101">
  <simulation>
    <title>sky same-time</title>
    <randomseed>123456</randomseed>
    <motedelay_us>1</motedelay_us>
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
var n = 0;
while(true) {
  YIELD();
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  n++;
  if(n == 12) { sim.removeMote(sim.getMoteWithID(4)); log.log("remove 4\n"); }
  if(n == 17) { sim.removeMote(mote); log.log("remove itself\n"); }
  if(n == 20) { sim.getMotes()[0].getInterfaces().getPosition().setCoordinates(200, 200, 0); }
  if(n % 5 == 1) { write(sim.getMotes()[sim.getMotesCount() - 1], "line " + n); }
}
</script>
      <active>true</active>
    </plugin_config>
  </plugin>
</simconf>
