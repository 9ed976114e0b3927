import Testing

@testable import RibServer

@Suite struct MachineMemoryTests {
  private static let machine = 24 << 30

  /// What the files of a machine say.
  struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let files: [String: String]
    let bytes: Int?
    var testDescription: String { name }

    init(_ name: String, _ files: [String: String], _ bytes: Int?) {
      (self.name, self.files, self.bytes) = (name, files, bytes)
    }
  }

  static let fixtures = [
    Fixture("no control groups", [:], machine),
    Fixture(
      "a container, version 2", ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "536870912\n"], 512 << 20),
    Fixture(
      "version 2 without a limit", ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"], machine),
    Fixture(
      "a parent's limit is the lower one",
      [
        "/proc/self/cgroup": "0::/system.slice/ribd.service\n",
        "/sys/fs/cgroup/system.slice/ribd.service/memory.max": "2147483648\n",
        "/sys/fs/cgroup/system.slice/memory.max": "1073741824\n",
      ], 1 << 30),
    Fixture(
      "a group's own limit is the lower one",
      [
        "/proc/self/cgroup": "0::/system.slice/ribd.service\n",
        "/sys/fs/cgroup/system.slice/ribd.service/memory.max": "1073741824\n",
        "/sys/fs/cgroup/system.slice/memory.max": "max\n",
      ], 1 << 30),
    Fixture(
      "a container, version 1: the path is the host's",
      [
        "/proc/self/cgroup":
          "12:pids:/docker/ab\n9:cpu,cpuacct:/docker/ab\n5:memory:/docker/ab\n1:name=systemd:/docker/ab\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
      ], 256 << 20),
    Fixture(
      "version 1 without a limit",
      [
        "/proc/self/cgroup": "5:memory:/\n0::/\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      ], machine),
    Fixture(
      "a limit above what the machine has",
      ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1099511627776\n"],
      machine),
    Fixture(
      "what is no number", ["/proc/self/cgroup": "0::/a:b\nnonsense\n", "/sys/fs/cgroup/a:b/memory.max": "-5 \n"],
      machine),
  ]

  @Test(arguments: fixtures) func controlGroups_leaveTheLeast(_ fixture: Fixture) {
    #expect(MachineMemory.bytes(of: Self.machine) { fixture.files[$0] } == fixture.bytes)
  }

  @Test func machineThatDoesNotSay_hasItsGroupsLimit_orNone() {
    let files = ["/proc/self/cgroup": "0::/\n5:memory:/\n", "/sys/fs/cgroup/memory.max": "1000000\n"]
    #expect(MachineMemory.bytes(of: -1) { files[$0] } == 1_000_000)
    let none = [
      "/proc/self/cgroup": "5:memory:/\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ]
    #expect(MachineMemory.bytes(of: -1) { none[$0] } == nil)
  }

  @Test func thisMachine_hasMemory() throws {
    #expect(try #require(MachineMemory.bytes()) > 1 << 20)
  }

  /// A number of megabytes is what it says; without one it is a share, and without that there is none.
  @Test(
    arguments: [
      (0, 75, 4000 << 20, 3000 << 20), (512, 75, 4000 << 20, 512 << 20), (512, 0, 4000 << 20, 512 << 20),
      (0, 0, 4000 << 20, nil), (0, 75, nil, nil), (0, 100, 99, 99),
    ] as [(Int, Int, Int?, Int?)])
  func ceiling_isTheNumber_orTheShare(_ megabytes: Int, _ percent: Int, _ memory: Int?, _ ceiling: Int?) {
    var limits = ServerSettings.Limits()
    limits.memoryMegabytes = megabytes
    limits.memoryPercent = percent
    #expect(limits.memoryCeiling(of: memory) == ceiling)
  }
}
