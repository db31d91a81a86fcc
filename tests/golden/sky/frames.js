// SPDX-License-Identifier: Apache-2.0
// Asks real Cooja's medium for frames.csv: stands in a case's script behind its first line. Each line that begins with FRAME has
// begin, end, sender, bytes, destinations and interfered radios of a transmission ("-": no whole frame was sent).
var told = new (Java.extend(Java.type("java.util.function.BiConsumer")))({
  accept: function (event, object) {
    var connection = sim.getRadioMedium().getLastConnection(), hex = "-";
    if (connection == null) { return; }
    var source = connection.getSource(), packet = source.getLastPacketTransmitted();
    if (packet != null) {
      hex = Java.from(packet.getPacketData()).map(function (byte) { return ("0" + (byte & 255).toString(16)).slice(-2); }).join("");
    }
    var ids = function (radios) { return Java.from(radios).map(function (radio) { return radio.getMote().getID(); }).join(","); };
    log.log("FRAME " + connection.getStartTime() + " " + sim.getSimulationTime() + " " + source.getMote().getID() + " " + hex +
            " [" + ids(connection.getDestinations()) + "] [" + ids(connection.getInterfered()) + "]\n");
  }
});
sim.getRadioMedium().getRadioTransmissionTriggers().addTrigger(sim, told);
