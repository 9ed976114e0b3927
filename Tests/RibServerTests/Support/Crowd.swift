import Foundation
import Wire
import WireHTTP

/// Clients on one thread that say hello, and then only listen: thousands of them.
///
/// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
final class Crowd: @unchecked Sendable {
  /// How many connect at a time: more than wait at a listener would be refused.
  private static let wave = 100

  /// A client that has signed in, and comes by a proxy.
  struct Guest {
    let address: String
    let credential: String
  }

  private var links: [ChaosLink] = []
  private var set = DescriptorSet()
  private var storage = [UInt8](repeating: 0, count: 65_536)

  /// Connects, and waits until each is shown its session.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - port: the server's.
  ///   - app: the app that they ask for.
  ///   - guest: who a client is, by its number; nil for nobody, who comes without a proxy.
  /// - Throws: ``NeverTrue`` if that takes longer than a minute.
  init(_ count: Int, port: Int, app: String, _ guest: ((Int) -> Guest)? = nil) throws {
    var random = SeededGenerator(seed: 1, stream: 0)
    while links.count < count {
      let first = links.count
      for _ in 0..<min(Self.wave, count - first) {
        let guest = guest?(links.count)
        let headers: HeaderFields = guest.map { ["X-Forwarded-For": $0.address] } ?? [:]
        let auth = guest.map { #","auth":"\#($0.credential)""# } ?? ""
        let link = ChaosLink(to: port, nil, headers: headers, &random)
        link.send(Array(#"{"t":"hello","app":"\#(app)"\#(auth)}"#.utf8))
        set.add(link.descriptor, as: links.count, forRoom: true)
        links.append(link)
      }
      try hear([#"{"t":"snap""#], links.count - first, within: 60)
    }
  }

  deinit { for link in links { close(link.descriptor) } }

  /// Waits until all have heard something.
  func hear(_ texts: [String], within seconds: Double) throws { try hear(texts, links.count, within: seconds) }

  /// Waits until so many have heard one of some texts.
  private func hear(_ texts: [String], _ count: Int, within seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var heard: Set<Int> = []
    while heard.count < count {
      guard ContinuousClock.now < end else { throw NeverTrue(seconds: seconds) }
      for ready in set.wait(100) {
        let link = links[ready.id]
        if ready.canWrite {
          link.flush()
          set.change(link.descriptor, as: ready.id, forRoom: false)
        }
        guard ready.canRead else { continue }
        for message in try link.receive(&storage) {
          let text = String(decoding: message, as: UTF8.self)
          if texts.contains(where: { text.contains($0) }) { heard.insert(ready.id) }
        }
      }
    }
  }
}
