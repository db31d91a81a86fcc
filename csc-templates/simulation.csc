<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<simconf version="2023090101">
  <simulation>
    <title/>
    <randomseed/>
    <motedelay_us/>
    <radiomedium>
      org.contikios.cooja.radiomediums.UDGM
      <transmitting_range/>
      <interference_range/>
      <success_ratio_tx/>
      <success_ratio_rx/>
    </radiomedium>
    <events>
      <logoutput>40000</logoutput>
    </events>
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
      <script/>
      <active>true</active>
    </plugin_config>
    <bounds x="1120" y="0" height="620" width="500"/>
  </plugin>
</simconf>
