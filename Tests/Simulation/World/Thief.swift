import RibClient
import Wire
import WireHTTP

/// A stranger with a token of a client whose person is known: whatever it says, it is not let in, and the client goes on.
final class Thief: CallerOwner {
  private let number: Int
  private let resume: ClientMessage.Resume
  /// Who it is; nil if it does not say.
  private let person: Int?
  private unowned let world: World
  private let caller: SimulatedCaller
  private var frames: FrameReader?
  private var writer = FrameWriter.client { 0x1234_5678 }
  private var reader = JSONReader()

  /// One that has not come yet.
  ///
  /// - Parameters:
  ///   - number: among those of all clients.
  ///   - client: whose token it has.
  ///   - token: that token, or one that the client had before.
  ///   - person: whose credential it shows; nil for nobody's.
  ///   - world: where it is.
  init(_ number: Int, of client: SimulatedClient, with token: String, asPerson person: Int?, in world: World) {
    self.number = number
    self.person = person
    self.world = world
    let welcome = client.session.lastWelcome
    // It says that it is newer than any connection of the client's.
    resume = ClientMessage.Resume(
      sessionID: welcome?.sessionID ?? "", clientID: welcome?.clientID ?? 1, token: token,
      attempt: 1_000_000, epoch: welcome?.epoch ?? "", revision: 0)
    caller = SimulatedCaller(number, "thief", in: world)
    caller.owner = self
  }

  /// Tries to come in.
  func goOn() { caller.connect() }

  func callAgain() { caller.connect() }

  func connected() {
    frames = nil
    caller.link?.send(
      WebSocketHandshake.request(
        host: "localhost", path: "/v1/socket", key: SimulatedClient.key, subprotocols: [subprotocol]))
    caller.after(30_000) { [weak self] in self?.caller.hangUp() }
  }

  func wasCut(_: SimulatedLink) {}

  func received() throws {
    if frames == nil {
      guard let head = try caller.responses.nextHead(from: &caller.buffer) else { return }
      guard head.status == .switchingProtocols else { return caller.hangUp() }
      frames = FrameReader(role: .client, messageLimit: 16 << 20)
      greet()
    }
    while caller.link != nil, let event = try frames?.nextEvent(from: &caller.buffer) {
      guard case .text(let payload) = event else { continue }
      let text = caller.buffer.withPayload(payload) { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
      world.note("to thief \(number): \(String(decoding: text, as: UTF8.self))")
      guard case .bye(let bye, _) = try ServerMessage(try reader.read(text.span).root) else {
        throw Finding(
          .stolen, "thief \(number) has come in as client \(resume.clientID): \(String(decoding: text, as: UTF8.self))")
      }
      world.figures.note("thieves turned away: \(bye.map { $0.rawValue } ?? "?")")
      caller.hangUp()
    }
  }

  private func greet() {
    var json = JSONWriter()
    json.hello(app: nil, client: ClientInfo(), auth: person.map { world.issuer.issue(to: $0) }, resume: resume)
    var frame: [UInt8] = []
    writer.text(json.bytes.span, into: &frame)
    caller.link?.send(frame)
  }
}
