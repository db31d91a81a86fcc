<?xml version="1.0" encoding="UTF-8"?>
<simconf version="2023090101">
  <simulation>
    <title>sky operated</title>
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
      <script>TIMEOUT(20000, log.testOK());
var round = 0;
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.indexOf("sends") == 0) {
    round++;
    if (round % 7 == 1) { write(mote, "round " + round); }
    if (round % 9 == 2) { mote.getInterfaces().getButton().clickButton(); }
    if (round % 9 == 5) { mote.getInterfaces().getButton().pressButton(); }
    if (round % 9 == 8) { mote.getInterfaces().getButton().releaseButton(); }
    if (round == 20) { mote.getInterfaces().getPosition().setCoordinates(45, 20, 0); }
    if (round == 60) { sim.removeMote(sim.getMoteWithID(2)); }
    if (round == 70) { sim.getMoteWithID(3).getInterfaces().getMoteID().setMoteID(13); }
  }
  YIELD();
}
</script>
      <active>true</active>
    </plugin_config>
  </plugin>
</simconf>
