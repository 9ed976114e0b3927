// A session as a model that SwiftUI observes, and views that draw it. The model has no I/O: whoever owns the socket, such as
// a URLSessionWebSocketTask, hands in what it receives, and is handed what to send.

// snippet.hide
import Observation
// snippet.show
import RibClient
import Wire

@MainActor @Observable
final class SessionModel {
  /// The view document; nil before the server's first one.
  private(set) var view: JSONValue?
  /// Why the last action was refused.
  private(set) var refusal: String?
  @ObservationIgnored private var session = ClientSession()
  @ObservationIgnored private let send: ([UInt8]) -> Void

  init(send: @escaping ([UInt8]) -> Void) { self.send = send }

  /// To be called when the socket is open.
  func opened(app: String) throws { send(session.isAway ? try session.resume() : session.hello(app: app)) }

  func closed() { session.disconnected() }

  /// To be called with each message of the server's.
  func receive(_ message: [UInt8]) throws {
    for event in try session.receive(message.span) {
      switch event {
      case .live: for action in session.resend() { send(action) }
      case .refused(_, let nack): refusal = nack.message
      default: break
      }
    }
    view = session.view
  }

  func act(_ action: String, on id: Int) {
    if let message = try? session.act(.string(action), to: .id(id)) { send(message) }
  }

  subscript(id: Int) -> JSONValue? { view?["nodes"]?["\(id)"] }
}

#if canImport(SwiftUI)
  import SwiftUI

  /// Draws a node by its type.
  struct RibletView: View {
    let model: SessionModel
    let id: Int

    var body: some View {
      switch model[id]?["type"] {
      case .string("Counter"): CounterView(model: model, id: id)
      case .string(let type): Text("There is no view for \(type).")
      default: ProgressView()
      }
    }
  }

  struct CounterView: View {
    let model: SessionModel
    let id: Int

    var body: some View {
      HStack {
        Button("−") { model.act("decrement", on: id) }
        if case .integer(let count)? = model[id]?["state"]?["count"] { Text("\(count)").monospacedDigit() }
        Button("+") { model.act("increment", on: id) }
      }
    }
  }
#endif
