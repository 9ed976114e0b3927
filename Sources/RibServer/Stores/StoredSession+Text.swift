package import RibCore
import Wire

// Columns that hold more than one value are JSON.

extension SessionState {
  /// Written by hand: it is a part of every commit.
  package var clientsJSON: [UInt8] {
    var json = [UInt8(ascii: "[")]
    json.reserveCapacity(2 + 160 * clients.count)
    for client in clients {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json.append(contentsOf: #"{"id":"#.utf8)
      json.append(contentsOf: String(client.id).utf8)
      json.append(contentsOf: #","tokenHash":""#.utf8)
      json.append(contentsOf: client.tokenHash.utf8)
      json.append(contentsOf: #"","attempt":"#.utf8)
      json.append(contentsOf: String(client.attempt).utf8)
      json.append(contentsOf: #","number":"#.utf8)
      json.append(contentsOf: String(client.number).utf8)
      json.append(contentsOf: #","scope":""#.utf8)
      json.append(contentsOf: client.scope.rawValue.utf8)
      json.append(UInt8(ascii: "\""))
      if let profile = client.profile {
        json.append(contentsOf: #","profile":"#.utf8)
        json.append(contentsOf: jsonText(profile).utf8)
      }
      if let omitted = client.omitted {
        json.append(contentsOf: #","omitted":"#.utf8)
        json.append(contentsOf: jsonText(omitted).utf8)
      }
      json.append(UInt8(ascii: "}"))
    }
    json.append(UInt8(ascii: "]"))
    return json
  }
  /// Writes of each client its try and its number, as a JSON array: what of ``clientsJSON`` changes with an action.
  package func writeNumbers(into json: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.append(UInt8(ascii: "["))
    for client in clients {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      JSONWriter.append(decimal: client.attempt, to: &json)
      json.append(UInt8(ascii: ","))
      JSONWriter.append(decimal: client.number, to: &json)
    }
    json.append(UInt8(ascii: "]"))
  }
  package var invitationsJSON: String { invitations.isEmpty ? "[]" : jsonText(invitations) }
}

extension [ClientRecord] {
  /// Reads what ``SessionState/clientsJSON`` has written, and ``SessionState/writeNumbers(into:)`` since.
  ///
  /// - Throws: `JSONError` or `DecodingError` if a text is damaged, ``StoreError`` if they are not of the same clients.
  package init(json: String, numbers: String?) throws {
    self = try StateCoder.decode(from: try StateCoder.read(json))
    guard let numbers else { return }
    let values: [Int] = try StateCoder.decode(from: try StateCoder.read(numbers))
    guard values.count == 2 * count else { throw StoreError("The numbers are of \(values.count / 2) clients.") }
    for index in indices { (self[index].attempt, self[index].number) = (values[2 * index], values[2 * index + 1]) }
  }
}

extension [Invitation] {
  /// Reads what ``SessionState/invitationsJSON`` has written.
  ///
  /// - Throws: `JSONError` or `DecodingError` if the text is damaged.
  package init(json: String) throws {
    self = json == "[]" ? [] : try StateCoder.decode(from: try StateCoder.read(json))
  }
}

extension NodeSnapshot {
  /// The JSON of children; nil for none.
  package static func childrenJSON(_ children: [String: [String: NodeID]]) -> String? {  // safe text: own
    children.isEmpty ? nil : jsonText(children)
  }
  /// The JSON of effects; nil for none.
  package static func effectsJSON(_ effects: [InterruptedEffect]) -> String? {
    effects.isEmpty ? nil : jsonText(effects)
  }

  /// Reads what was written.
  ///
  /// - Throws: `JSONError` or `DecodingError` if a text is damaged, ``StoreError`` if a change does not fit its base.
  package init(
    id: NodeID, type: String, version: Int, base: String?, changes: [[UInt8]], childrenJSON: String?,
    effectsJSON: String?
  ) throws {
    if base == nil, !changes.isEmpty { throw StoreError("Node \(id) has changes of a state that is missing.") }
    self.init(
      id: id, type: type, version: version, state: try base.map { try StateCoder.apply(changes, to: $0) },
      children: try childrenJSON.map { try StateCoder.decode(from: try StateCoder.read($0)) } ?? [:],
      effects: try effectsJSON.map { try StateCoder.decode(from: try StateCoder.read($0)) } ?? [],
      changes: StoredChanges(last: changes.count, size: changes.reduce(0) { $0 + $1.count }))
  }
}

/// The JSON of values that can always be encoded: of strings, numbers and what is made of them.
private func jsonText(_ value: some Encodable) -> String {
  do throws(CaptureError) {
    return String(decoding: try StateCoder.encode(value), as: UTF8.self)
  } catch {
    preconditionFailure("\(error)")
  }
}

extension ShareScope: Codable {}
