import RibCore
import Tracing
import Wire

/// The spans of one session: a session has them only if the program has chosen a tracer.
///
/// | span            | begins                        | ends                               | belongs to                                     |
/// |-----------------|-------------------------------|------------------------------------|------------------------------------------------|
/// | `riblet.action` | before a riblet gets an action | when its answer is written        | its request; over a connection it is a trace of its own, with a link to the connection's |
/// | `riblet.commit` | when the store is asked       | when the store has answered        | the last action or effect whose changes it has; it has links to the others |
/// | `riblet.effect` | when an effect starts         | when the effect returns or throws  | the action or the effect that has caused it    |
///
/// Only the session's loop uses it.
final class SessionSpans {
  /// How many actions and effects a commit has links to.
  private static let linkLimit = 32

  private let tracer: SessionTracer
  /// The attributes of all spans.
  private let attributes: SpanAttributes
  private var action: (any Tracing.Span)?
  /// The action or the effect that the present transaction belongs to; nil if it belongs to none.
  private var cause: ServiceContext?
  /// The actions and effects since the last commit began.
  private var causes: [ServiceContext] = []
  private var commit: (any Tracing.Span)?
  /// Of effects that are to start, what has caused them; of those that run, themselves.
  private var effects: [EffectToken: ServiceContext] = [:]

  /// The spans of a session.
  ///
  /// - Parameters:
  ///   - tracer: makes them.
  ///   - identity: the session's.
  init(_ tracer: SessionTracer, _ identity: SessionIdentity) {
    self.tracer = tracer
    attributes = ["riblet.app": .string(identity.app), "riblet.session": .string(identity.id)]
  }

  // MARK: Actions

  /// Begins the span of an action.
  ///
  /// - Parameters:
  ///   - type: the riblet's type; nil if there is no such riblet.
  ///   - name: the action's case; nil if it has none.
  ///   - trace: the trace of the request or the connection; nil if it has none.
  ///   - isRequest: whether it is a request's.
  func beginAction(_ type: String?, _ name: String?, _ trace: RequestTrace?, isRequest: Bool) {
    var attributes = attributes
    attributes["riblet.type"] = type
    attributes["riblet.action"] = name
    let context = trace?.context ?? .topLevel
    let span = tracer.begin(
      "riblet.action", in: isRequest ? context : .topLevel, .server, attributes, linkedTo: isRequest ? [] : [context])
    action = span
    note(span.context)
  }

  /// Ends the span of the action, if there is one.
  ///
  /// - Parameter refusal: why it was refused; nil if it was not.
  func endAction(_ refusal: Refusal? = nil) {
    guard let action else { return }
    if let refusal {
      action.attributes["riblet.refusal"] = refusal.code.rawValue
      if refusal.code == .failed { action.setStatus(SpanStatus(code: .error)) }
    }
    action.end()
    self.action = nil
    cause = nil
  }

  private func note(_ context: ServiceContext) {
    cause = context
    if causes.count > Self.linkLimit { causes.removeFirst() }
    causes.append(context)
  }

  // MARK: Effects

  /// Takes note of what the present transaction wants of effects.
  ///
  /// - Parameter commands: those that start belong to what the transaction belongs to.
  func note(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let start): effects[start.token] = cause
      case .cancel(let token): effects[token] = nil
      case .publish: break
      }
    }
  }

  /// Begins the span of an effect.
  ///
  /// - Parameter effect: the effect.
  /// - Returns: the span, to be handed to ``run(_:in:)``.
  func begin(_ effect: EffectStart) -> any Tracing.Span {
    var attributes = attributes
    attributes["riblet.type"] = effect.typeName
    let span = tracer.begin("riblet.effect", in: effects[effect.token] ?? .topLevel, .internal, attributes)
    effects[effect.token] = span.context
    return span
  }

  /// Runs an effect in its span, and ends it.
  ///
  /// - Parameters:
  ///   - effect: what it does: spans that it begins are in its own.
  ///   - span: the effect's; nil for none.
  /// - Throws: what the effect throws.
  static func run(_ effect: () async throws -> Void, in span: (any Tracing.Span)?) async throws {
    guard let span else { return try await effect() }
    defer { span.end() }
    do {
      try await ServiceContext.withValue(span.context) { try await effect() }
    } catch {
      if !(error is CancellationError) {
        // The error itself may say what is nobody's business outside of the log.
        span.setStatus(SpanStatus(code: .error, message: "\(type(of: error))"))
      }
      throw error
    }
  }

  /// Has the next transaction belong to an effect that has sent something, or has ended.
  ///
  /// - Parameter effect: the effect.
  func enter(_ effect: EffectToken) { if let context = effects[effect] { note(context) } }

  /// Has what follows belong to nothing.
  ///
  /// - Parameter effect: an effect that has ended; nil if none has.
  func leave(ended effect: EffectToken? = nil) {
    cause = nil
    if let effect { effects[effect] = nil }
  }

  // MARK: Commits

  /// Begins the span of a commit of what has happened, if it belongs to anything.
  func beginCommit() {
    guard let last = causes.popLast() else { return }
    commit?.end()
    commit = tracer.begin("riblet.commit", in: last, .internal, attributes, linkedTo: causes)
    causes = []
  }

  /// Ends the span of the commit, if there is one.
  ///
  /// - Parameter isWritten: whether the store has what it was to write.
  func endCommit(isWritten: Bool) {
    if !isWritten { commit?.setStatus(SpanStatus(code: .error)) }
    commit?.end()
    commit = nil
  }
}
