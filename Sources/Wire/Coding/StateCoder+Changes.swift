extension StateCoder {
  /// Why a state cannot be put together from its base and the changes since.
  package enum ChangeError: Error, Sendable, CustomStringConvertible {
    /// The base or a change is not JSON.
    case damaged(JSONError)
    /// A change is not a patch, or does not apply to this base.
    case notApplicable(PatchError)

    /// One sentence for a log.
    package var description: String {
      switch self {
      case .damaged(let error): "a stored state is damaged: \(error)"
      case .notApplicable(let error): "a change does not belong to its state: \(error)"
      }
    }
  }

  /// Applies changes to an earlier state.
  ///
  /// The members of objects in the result are in the order of their keys, and not in the order of ``encode(_:)``: a
  /// patch does not say where among the others a member belongs, and to a reader the order means nothing (RFC 8259 §4).
  ///
  /// - Parameters:
  ///   - changes: each an array of the operations of RFC 6902, to be applied in order.
  ///   - base: the earlier state's JSON.
  /// - Returns: the JSON of the resulting state, with every number and string as it was written.
  /// - Throws: ``ChangeError``.
  package static func apply(_ changes: [[UInt8]], to base: String) throws(ChangeError) -> String {
    guard !changes.isEmpty else { return base }
    var state: JSONValue
    var patches: [[PatchOperation]] = []
    do throws(JSONError) {
      state = JSONValue(try read(base))
    } catch {
      throw .damaged(error)
    }
    var reader = JSONReader(limits: JSONLimits(bytes: Int(UInt32.max)))
    for change in changes {
      let document: JSONDocument
      do throws(JSONError) { document = try reader.read(change.span) } catch { throw .damaged(error) }
      do throws(PatchError) {
        patches.append(try operations(document.root))
      } catch {
        throw .notApplicable(error)
      }
    }
    do throws(PatchError) {
      try state.apply(patches.flatMap(\.self))
    } catch {
      throw .notApplicable(error)
    }
    return exactText(state)
  }

  /// A state's JSON with the members of objects in the order of their keys, to be compared with what ``apply(_:to:)``
  /// returns.
  ///
  /// - Throws: ``JSONError`` if the text is damaged.
  package static func normalized(_ text: String) throws(JSONError) -> String { exactText(JSONValue(try read(text))) }

  private static func operations(_ change: JSONElement) throws(PatchError) -> [PatchOperation] {
    var operations: [PatchOperation] = []
    operations.reserveCapacity(change.count)
    for operation in change.elements { operations.append(try PatchOperation(operation)) }
    return operations
  }

  private static func exactText(_ value: JSONValue) -> String {
    var writer = JSONWriter()
    value.write(into: &writer, numbers: .exact)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
