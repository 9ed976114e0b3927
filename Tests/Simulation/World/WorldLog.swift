import Logging

/// Writes what a server logs into the world's log.
struct WorldLog: LogHandler {
  private unowned let world: World
  private unowned let process: SimulatedProcess
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(_ world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    logLevel = world.log == nil ? .error : .debug
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    if event.message.description.hasPrefix("The session store fails"), !world.plan.setting.waits {
      process.storeFails()
    } else if event.message.description == "The session store works again." {
      process.storeWorks()
    }
    world.note("process \(process.number): \(event.level): \(event.message) \(event.metadata ?? [:])")
  }
}
