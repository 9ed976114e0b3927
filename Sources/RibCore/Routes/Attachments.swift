import Wire

/// The children that one route of one node has.
class Attachments<Parent: Router> {
  let name: String
  let kind: String
  fileprivate(set) var children: [AnyNode] = []
  /// The ids that the client was shown last.
  private var shown: [NodeID] = []
  private var saved: [AnyNode]?

  fileprivate init(name: String, kind: String) {
    self.name = name
    self.kind = kind
  }

  /// Attaches and detaches until the children are what the state says.
  func reconcile(with state: Parent.State, of parent: Node<Parent>, in tree: Tree) {
    preconditionFailure("abstract")
  }

  // MARK: View

  /// Writes the route as a member of `children`.
  final func write(into json: inout JSONWriter) {
    json.key(name)
    json.beginObject()
    json.key("kind")
    json.string(kind)
    json.key("ids")
    json.beginArray()
    for child in children { json.integer(child.id) }
    json.endArray()
    json.endObject()
  }

  /// Writes what changed in `ids`: at places that exist before and after, ids are replaced; the rest is removed from the
  /// end or added there.
  final func writeDifference(into patch: inout PatchWriter) {
    guard !children.lazy.map(\.id).elementsEqual(shown) else { return }
    patch.at(name) { patch in
      patch.at("ids") { patch in
        for (index, child) in children.enumerated() {
          if index >= shown.count {
            patch.at(index) { $0.add { $0.integer(child.id) } }
          } else if shown[index] != child.id {
            patch.at(index) { $0.replace { $0.integer(child.id) } }
          }
        }
        for index in stride(from: shown.count - 1, through: children.count, by: -1) {
          patch.at(index) { $0.remove() }
        }
      }
    }
  }

  // MARK: Transactions

  func save() { saved = children }

  func commit() {
    if saved != nil { shown = children.map(\.id) }
    saved = nil
  }

  func rollBack() {
    if let saved { children = saved }
    saved = nil
  }
}

/// The children of a route whose container is part of the parent's state.
final class ContainerAttachments<Parent: Router, Container: RouteContainer>: Attachments<Parent> {
  private let container: KeyPath<Parent.State, Container>
  private let build: (Container.Config) -> Child<Parent>
  /// The container as of the last reconciliation, and its entries, one a child.
  private var current: Container?
  private var entries: [RouteEntry<Container.Config>] = []
  private var savedEntries: (Container?, [RouteEntry<Container.Config>])?

  init(
    name: String, container: KeyPath<Parent.State, Container>, build: @escaping (Container.Config) -> Child<Parent>
  ) {
    self.container = container
    self.build = build
    super.init(name: name, kind: Container.kind)
  }

  override func reconcile(with state: Parent.State, of parent: Node<Parent>, in tree: Tree) {
    let container = state[keyPath: container]
    guard container != current else { return }
    current = container
    let target = container.entries
    guard target != entries else { return }
    var kept: [RouteEntry<Container.Config>: AnyNode] = [:]
    for (entry, child) in zip(entries, children) { kept[entry] = child }
    let old = children
    // Entries that stay keep their node; the others get theirs once the old ones are gone.
    let staying = target.map { kept.removeValue(forKey: $0) }
    for child in old where kept.contains(where: { $0.value === child }) { child.detach(from: tree) }
    entries = target
    children = zip(target, staying).map { entry, node in
      node ?? tree.attach { id in build(entry.config).makeNode(id, parent) }
    }
  }

  override func save() {
    super.save()
    savedEntries = (current, entries)
  }

  override func commit() {
    super.commit()
    savedEntries = nil
  }

  override func rollBack() {
    super.rollBack()
    if let savedEntries { (current, entries) = savedEntries }
    savedEntries = nil
  }
}
