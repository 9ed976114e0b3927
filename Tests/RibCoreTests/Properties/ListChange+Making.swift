import RibCore

/// What is made of a ``ListChange``: an index beyond the end is that of the last element.
extension Array where Element: RandomPart & Settled & Identifiable, Element.ID == Int {
  mutating func make(_ change: ListChange, _ notes: Notes) {
    let ids = map(\.id)
    let last = count - 1
    func place(_ index: Int) -> Int { Swift.min(index, last) }
    func note(_ what: String) { notes.note("array: \(what)") }
    switch change {
    case .insert(let id, let index, let seed):
      guard count < 4 else { return }
      note(ids.contains(id) ? "insert a duplicate" : "insert")
      insert(.random(seed: seed, id: id), at: Swift.min(index, count))
    case .double(let index, let target):
      guard !isEmpty, count < 4 else { return }
      note("double")
      var element = self[place(index)]
      element.common.count += 1
      insert(element, at: Swift.min(target, count))
    case .clear: removeAll()
    case .reverse:
      reverse()
      if map(\.id) != ids { note("reverse") }
    case .remove, .move, .rename, .edit:
      guard !isEmpty else { return }
      note(makeInElement(change, place))
      if count > 0, Set(map(\.id)).count < Set(ids).count || Set(ids).count < ids.count { note("change duplicates") }
    }
  }

  private mutating func makeInElement(_ change: ListChange, _ place: (Int) -> Int) -> String {
    switch change {
    case .remove(let index):
      remove(at: place(index))
      return "remove"
    case .move(let index, let target):
      let (from, to) = (place(index), place(target))
      insert(remove(at: from), at: to)
      return from == to ? "stay" : "move"
    case .rename(let index, let id):
      self[place(index)] = renamed(self[place(index)], id)
      return "rename"
    case .edit(let index):
      self[place(index)].common.count += 1
      return "edit"
    default: return "nothing"
    }
  }

  private func renamed(_ element: Element, _ id: Int) -> Element {
    var new = Element.random(seed: 0, id: id)
    new.common = element.common
    return new
  }
}

extension IdentifiedArray where Element: RandomPart & Settled, Element.ID == Int {
  mutating func make(_ change: ListChange, _ notes: Notes) {
    let ids = map(\.id)
    func id(_ index: Int) -> Int? { ids.isEmpty ? nil : ids[Swift.min(index, count - 1)] }
    func note(_ what: String) { notes.note("identified: \(what)") }
    switch change {
    case .insert(let id, let index, let seed):
      if count < 4 { note(insert(.random(seed: seed, id: id), at: index) ? "insert" : "keep") }
    case .double(let index, _):
      guard let id = id(index) else { return }
      note("upsert")
      upsert(.random(seed: UInt32(index), id: id))
    case .remove(let index): if let id = id(index), remove(id: id) != nil { note("remove") }
    case .move(let index, let target):
      guard let id = id(index) else { return }
      move(id: id, to: target)
      if map(\.id) != ids { note("move") }
    case .rename(let index, let new):
      guard let id = id(index), let element = self[id: id] else { return }
      var renamed = Element.random(seed: 0, id: new)
      renamed.common = element.common
      if new != id { note(ids.contains(new) ? "rename to another" : "rename") }
      self[id: id] = renamed
    case .edit(let index):
      guard let id = id(index) else { return }
      note("edit")
      self[id: id]?.common.count += 1
    case .reverse: sort { ids.firstIndex(of: $0.id) ?? 0 > ids.firstIndex(of: $1.id) ?? 0 }
    case .clear: removeAll { _ in true }
    }
  }
}

extension Items<Int> {
  mutating func make(_ change: ListChange, _ notes: Notes) {
    func key(_ index: Int) -> Int? { keys.isEmpty ? nil : keys[Swift.min(index, count - 1)] }
    func note(_ what: String) { notes.note("items: \(what)") }
    switch change {
    case .insert(let config, let index, _):
      guard count < 3 else { return }
      note("insert")
      insert(config, at: index)
    case .remove(let index):
      guard let key = key(index) else { return }
      note("remove")
      remove(key)
    case .move(let index, let target), .double(let index, let target), .rename(let index, let target):
      guard let key = key(index), count > 1 else { return }
      note("move")
      move(key, to: target)
    case .edit: break
    case .reverse: for key in keys { move(key, to: 0) }
    case .clear: removeAll { _ in true }
    }
  }
}
