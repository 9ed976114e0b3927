import CWeb
public import RibServer

extension StaticFiles {
  /// The client for browsers: `riblet.js`, which keeps a session, `render.js`, which draws one, and `generic.js`, which
  /// draws what nobody has written a view for; each with its types.
  ///
  ///     var files = StaticFiles.client
  ///     files.add("index.html", page)
  ///     let server = Server(apps: apps, files: files)
  public static var client: StaticFiles { StaticFiles { $0.is_client } }

  /// The client, and the page that shows the showcase's apps, and any others.
  public static var showcase: StaticFiles { StaticFiles { _ in true } }

  private init(where isIncluded: (web_file) -> Bool) {
    self.init()
    var index = 0
    while let file = web_file_at(index)?.pointee {
      if isIncluded(file) {
        add(String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
      }
      index += 1
    }
  }
}
