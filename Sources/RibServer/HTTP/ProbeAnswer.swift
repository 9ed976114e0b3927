import Synchronization
import WireHTTP

/// The answer to a probe.
struct ProbeAnswer {
  /// The status, which is all that a machine looks at.
  let status: HTTPStatus
  /// The same in a word, for a person.
  let word: String

  /// The server shown does not run.
  static let notRunning = ProbeAnswer(status: .serviceUnavailable, word: "stopped")
}

extension ServerContext {
  /// Whether the process lives, and is to.
  var liveness: ProbeAnswer {
    lateLoopCount.load(ordering: .relaxed) == 0
      ? ProbeAnswer(status: .ok, word: "live") : ProbeAnswer(status: .serviceUnavailable, word: "hanging")
  }

  /// Whether a load balancer is to send clients here.
  ///
  /// haproxy leaves a server's connections alone that answers 404 (`disable-on-404`), and cuts those of one that answers otherwise. A socket that
  /// was handed to a server on its own is served by the next process as well, or keeps clients until one is there: the address stays ready.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  /// - Returns: the answer.
  func readiness(at now: UInt64) -> ProbeAnswer {
    if isDraining.load(ordering: .relaxed), settings.socket == nil || cluster != nil {
      return ProbeAnswer(status: .notFound, word: "draining")
    }
    if cluster?.isCutOff(at: now) == true { return ProbeAnswer(status: .serviceUnavailable, word: "cut off") }
    return ProbeAnswer(status: .ok, word: "ready")
  }
}

extension Response {
  /// An answer of one word.
  init(probed answer: ProbeAnswer) {
    self.init(
      status: answer.status, headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
      body: Array("\(answer.word)\n".utf8))
  }
}
