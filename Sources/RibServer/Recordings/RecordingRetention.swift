/// How long recordings are kept: up to an age, and up to a size of all together.
struct RecordingRetention: Equatable {
  /// The age in seconds at which one is removed; nil for none.
  let age: Int?
  /// The bytes that they may have together; nil for any number.
  let bytes: Int?

  /// A recording in its directory.
  struct Recording: Equatable {
    /// The file's name.
    let name: String
    /// Its size.
    let bytes: Int
    /// When it was written last, in seconds since 1970.
    let written: Int
  }

  /// The retention that a server's settings say; nil if recordings are kept for ever.
  init?(_ settings: ServerSettings.Recordings) {
    guard settings.keepDays > 0 || settings.totalMegabytes > 0 else { return nil }
    self.init(
      age: settings.keepDays > 0 ? settings.keepDays * 86_400 : nil,
      bytes: settings.totalMegabytes > 0 ? settings.totalMegabytes << 20 : nil)
  }

  /// A retention by age, by size, or by both.
  init(age: Int?, bytes: Int?) { (self.age, self.bytes) = (age, bytes) }

  /// How many bytes may be written before somebody looks again.
  var step: Int { min((bytes ?? .max) / 4, 64 << 20) }

  /// Which recordings are to be removed: those that are too old and, of the others, the oldest until all that is left is not too much.
  ///
  /// - Parameters:
  ///   - found: all that there are.
  ///   - inUse: the names of those that are being written: they count, and stay.
  ///   - now: seconds since 1970.
  /// - Returns: the recordings, the oldest first.
  func surplus(_ found: [Recording], sparing inUse: Set<String>, at now: Int) -> [Recording] {
    var total = found.reduce(0) { $0 + $1.bytes }
    var surplus: [Recording] = []
    for recording in found.sorted(by: { ($0.written, $0.name) < ($1.written, $1.name) })
    where !inUse.contains(recording.name) {
      let isOld = age.map { now - recording.written > $0 } ?? false
      let isTooMuch = bytes.map { total > $0 } ?? false
      guard isOld || isTooMuch else { continue }
      surplus.append(recording)
      total -= recording.bytes
    }
    return surplus
  }
}
