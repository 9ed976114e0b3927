import Logging
import Metrics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Recordings that are removed.

extension RecordingFolder {
  /// How a recording's name ends.
  static let suffix = ".jsonl"

  /// Removes the recordings that are not to be kept any longer; a job of the folder's queue.
  ///
  /// A recording that is begun meanwhile is safe: its lines are written by a later job.
  func removeSurplus() {
    guard let retention else { return }
    let inUse = namesInUse()
    let surplus = retention.surplus(Self.recordings(in: path), sparing: inUse, at: clock.wall())
    var (removed, bytes) = (0, 0)
    for recording in surplus where unlink("\(path)/\(recording.name)") == 0 {
      removed += 1
      bytes += recording.bytes
    }
    guard !surplus.isEmpty else { return }
    if removed > 0 {
      logger.info(
        "Old recordings were removed.",
        metadata: ["count": "\(removed)", "bytes": "\(bytes)", "directory": "\(path)"])
      removals.increment(by: removed)
    }
    if removed < surplus.count {
      logger.warning(
        "Old recordings cannot be removed.",
        metadata: ["count": "\(surplus.count - removed)", "directory": "\(path)"])
    }
  }

  /// The recordings in a directory; what has other names is none.
  private static func recordings(in directory: String) -> [RecordingRetention.Recording] {
    (fileNames(in: directory) ?? []).compactMap { name in
      guard name.hasSuffix(suffix), let file = RecordingFileStatus("\(directory)/\(name)") else { return nil }
      return .init(name: name, bytes: file.bytes, written: file.written)
    }
  }
}

/// The size of a file, and when it was written last.
private struct RecordingFileStatus {
  let bytes: Int
  /// Seconds since 1970.
  let written: Int

  /// The system's record of a file; nil if it is none, as a directory is not.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    bytes = Int(status.st_size)
    #if canImport(Darwin)
      written = status.st_mtimespec.tv_sec
    #else
      written = status.st_mtim.tv_sec
    #endif
  }
}
