// SPDX-License-Identifier: Apache-2.0
// Runs MSPSim as driver.c runs kernel/msp430, and prints the same hashes. To record golden data only: it needs Cooja's classes.
import java.nio.file.Files;
import java.nio.file.Path;
import se.sics.mspsim.config.MSP430f1611Config;
import se.sics.mspsim.core.ADC12;
import se.sics.mspsim.core.Chip;
import se.sics.mspsim.core.IOPort;
import se.sics.mspsim.core.MSP430;
import se.sics.mspsim.core.USART;
import se.sics.mspsim.util.ELF;

public class Driver {
  static final int STEPS_A_HASH = 1000;
  static long hash = 0xcbf29ce484222325L;
  static MSP430 cpu;

  static void mix(long value) {
    hash = (hash ^ value) * 0x100000001b3L;
  }

  static class Board extends Chip {
    Board(MSP430 cpu) {
      super("Board", cpu);
    }

    @Override
    public void notifyReset() {
      mix(0x7265736574L);
    }

    @Override
    public int getModeMax() {
      return 0;
    }
  }

  static void drive(int port, int pin, int level) {
    cpu.getIOUnit(IOPort.class, "P" + port).setPinState(pin, level == 1 ? IOPort.PinState.HI : IOPort.PinState.LOW);
  }

  static void connect() {
    new Board(cpu);
    for (int number = 0; number < 2; number++) {
      final int usart = number;
      cpu.getIOUnit(USART.class, "USART" + number).addUSARTListener((source, data) -> {
        mix(cpu.cycles << 16 | usart << 15 | (data & 0x7fff));
        if (usart == 0) {
          source.byteReceived(data * 7 + 1);
        }
      });
    }
    for (int number = 1; number <= 6; number++) {
      final int port = number;
      cpu.getIOUnit(IOPort.class, "P" + number).addPortListener((source, data) -> {
        mix(cpu.cycles << 24 | port << 16 | data);
        for (int pin = 0; pin < 4; pin++) {
          drive(port % 6 + 1, pin, data >> pin & 1);
        }
        if (port != 3) {
          drive(port, 6, data >> 4 & 1);
        }
      });
    }
    for (int number = 0; number < 8; number++) {
      final int channel = number;
      cpu.getIOUnit(ADC12.class, "ADC12").setADCInput(channel, () -> channel * 100 + (int) (cpu.cycles & 63));
    }
  }

  static void mixState() {
    mix(cpu.cycles);
    for (int i = 0; i < 16; i++) {
      mix(cpu.reg[i] & 0xffffffffL);
    }
  }

  static void run(java.io.PrintStream out, String mode, long steps, String file) throws Exception {
    int[] memory;
    ELF elf = null;
    if (mode.startsWith("raw")) {
      byte[] bytes = Files.readAllBytes(Path.of(file));
      memory = new int[0x10000];
      for (int i = 0; i < memory.length; i++) {
        memory[i] = bytes[i] & 0xff;
      }
    } else {
      elf = ELF.readELF(file);
      memory = elf.loadPrograms(0x10000);
    }
    hash = 0xcbf29ce484222325L;
    cpu = new MSP430(new MSP430f1611Config(), memory, elf);
    connect();
    cpu.reset();
    long step = 0, jump = 0;
    boolean slices = mode.endsWith("-slices"), traces = System.getenv("TRACE") != null;
    String what = "done";
    try {
      while (step < steps) {
        if (slices) {
          jump = cpu.stepMicros(jump, 1) + 1;
          mix(jump);
        } else {
          cpu.emulateOP(-1);
        }
        mixState();
        step++;
        if (step % STEPS_A_HASH == 0) {
          for (int i = 0x1100; i < 0x3900; i++) {
            mix(cpu.memory[i] & 0xff);
          }
          out.printf("%d %d %016x%n", step, cpu.cycles, hash);
        }
        if (traces) {
          out.printf("%d %d %016x", step, cpu.cycles, hash);
          for (int i = 0; i < 16; i++) {
            out.printf(" %x", cpu.reg[i]);
          }
          out.println();
        }
      }
    } catch (RuntimeException e) {
      what = "stopped";
      if (traces) {
        e.printStackTrace();
      }
    }
    out.printf("%s %d %016x%n", what, step, hash);
  }

  // MODE STEPS FILE...
  public static void main(String[] args) throws Exception {
    var out = System.out;
    System.setOut(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
    for (int i = 2; i < args.length; i++) {
      out.println(Path.of(args[i]).getFileName());
      run(out, args[0], Long.parseLong(args[1]), args[i]);
    }
  }
}
