import RibCore
import RibSchema
import Wire

extension StateShapeFile {
  /// The findings of a comparison.
  struct Findings {
    /// The changes that saved states would not survive.
    var breaks: [String] = []
    /// The entries that are not in the file, and have to be: a riblet, or a version.
    var missing: [String] = []
    /// Riblets that are in the file, and no app attaches any more.
    var gone: [String] = []
    /// The entries that are not in the file, and do no harm: an optional member, a case.
    var news: [String] = []
    /// Shapes of which a part is not known.
    var gaps: [String] = []

    /// The findings that fail a test.
    ///
    /// - Parameter mode: what becomes of the file.
    /// - Returns: a text each.
    func problems(in mode: StateShapeMode) -> [String] {
      switch mode {
      case .compare: breaks + gone + missing + gaps
      case .accept: breaks + gone + gaps
      case .replace: gaps
      }
    }
  }

  /// Compares the file with the shapes that the program has.
  ///
  /// - Parameter shapes: these.
  /// - Returns: the differences.
  func compare(with shapes: [RibletShape]) -> Findings {
    let present = Dictionary(grouping: shapes, by: \.typeName)
    var findings = Findings()
    for shape in shapes {
      guard let gap = shape.saved?.gap else { continue }
      findings.gaps.append(
        """
        \(shape.typeName): not all of \(shape.stateName) can be looked at. \(gap) Have the type that refuses zeros and empty texts \
        conform to SampleProviding, with a value that it takes.
        """)
    }
    for (name, entries) in riblets.sorted(by: { $0.key < $1.key }) {
      guard let candidates = present[name] else {
        findings.gone.append(
          """
          \(name): no app attaches this riblet any more. What is saved of it would be deleted. A riblet that was renamed keeps its \
          typeName; one that is attached elsewhere is given as one of the riblets. If it is gone for good, run the test with \
          \(StateShapes.variable)=replace.
          """)
        continue
      }
      for entry in entries { compare(entry, with: candidates, &findings) }
    }
    for (name, candidates) in present.sorted(by: { $0.key < $1.key }) {
      for shape in candidates where !has(shape) {
        findings.missing.append(
          """
          \(name): version \(shape.version) of its state is not in the file, so that nobody would notice if its shape changed. Run the \
          test with \(StateShapes.variable)=accept, and check the file in.
          """)
      }
    }
    return findings
  }

  /// Whether the file has the version of a shape; of several shapes of one name and version, one that this shape reads, too.
  private func has(_ shape: RibletShape) -> Bool {
    let same = (riblets[shape.typeName] ?? []).filter { $0.version == shape.version }
    guard same.count > 1 || same.first?.schema == nil else { return !same.isEmpty }
    return same.contains { $0.isRead(by: Entry(shape)) }
  }

  /// Compares one shape of a riblet with those that riblets of its type name have now.
  private func compare(_ entry: Entry, with candidates: [RibletShape], _ findings: inout Findings) {
    let same = candidates.filter { $0.version == entry.version }
    if same.isEmpty, let first = candidates.first {
      if candidates.allSatisfy({ $0.version < entry.version }) {
        findings.breaks.append(
          """
          \(first.typeName): stateVersion is \(first.version), and was \(entry.version): sessions that a newer program has saved are not \
          loaded. Put it back.
          """)
        return
      }
      guard entry.schema != nil else { return }
      return checkExamples(of: entry, candidates.filter { $0.version > entry.version }, &findings)
    }
    guard let schema = entry.schema else { return }
    // Of several riblets of one name, the one whose shape is nearest.
    let changes = same.map { shape in shape.saved.map { ShapeChange.between(schema, $0.schema) } }
    guard let nearest = changes.indices.min(by: { changes[$0].breakCount < changes[$1].breakCount }) else { return }
    guard let found = changes[nearest] else {
      findings.breaks.append(
        """
        \(same[nearest].typeName): its state is not saved by itself any more, as it is not Codable or has become a part of its parent's. What \
        is saved of it would be lost.
        """)
      return
    }
    let shape = same[nearest]
    let broken = found.filter(\.isBreak)
    findings.breaks += broken.map { $0.complaint(of: shape) }
    findings.news += found.filter { !$0.isBreak }.map { "\(shape.typeName): \($0.place) is new." }
    if broken.isEmpty { checkExamples(of: entry, same, &findings) }
  }

  /// Each example has to be read by one of the riblets.
  private func checkExamples(of entry: Entry, _ candidates: [RibletShape], _ findings: inout Findings) {
    guard let first = candidates.first, candidates.allSatisfy({ $0.saved != nil }) else { return }
    for example in entry.examples {
      var failure: RestoreFailure?
      let isRead = candidates.contains { shape in
        do throws(RestoreFailure) {
          try shape.read(example, entry.version)
          return true
        } catch {
          failure = failure ?? error
          return false
        }
      }
      guard !isRead, let failure else { continue }
      let what =
        entry.version == first.version
        ? """
        does not decode any more, though its stateVersion still is \(entry.version). Raise it to \(entry.version + 1) and write \
        migrate(_:from:), or have init(from:) take what was saved.
        """
        : "is not migrated: migrate(_:from:) has to make a state of version \(first.version) of it."
      findings.breaks.append(
        "\(first.typeName): a state of version \(entry.version) \(what)\n  \(failure.reason)\n  \(example.text)")
    }
  }
}

extension [ShapeChange]? {
  /// How many of the changes saved states would not survive; a state that is not saved any more is the worst.
  fileprivate var breakCount: Int { self.map { changes in changes.count { $0.isBreak } } ?? .max }
}

extension ShapeChange {
  /// The place in words: a pointer to the whole state is an empty text.
  fileprivate var place: String { path.isEmpty ? "the whole state" : path }

  /// The fault of a riblet, and the remedy.
  fileprivate func complaint(of shape: RibletShape) -> String {
    let what: String
    let instead: String
    switch kind {
    case .removed(let twin):
      what = twin.map { "is gone, and was probably renamed to \($0)" } ?? "is gone"
      instead = "keep the member"
    case .retyped(let former, let present):
      what = "was \(former), and is \(present)"
      instead = "keep its type"
    case .required:
      what = "has to be there, and is not in what is saved"
      instead = "make it optional"
    case .caseGone(let name):
      what = "has no case \(name) any more"
      instead = "keep the case"
    case .notNullable:
      what = "may be null in what is saved, and is not optional any more"
      instead = "keep it optional"
    case .added: return ""
    }
    return """
      \(shape.typeName): \(place) of its state \(what), and stateVersion still is \(shape.version). What sessions have saved would be lost. \
      Raise stateVersion to \(shape.version + 1) and write migrate(_:from:), or \(instead).
      """
  }
}
