import Foundation

/// Lets this process open as many descriptors as the system allows.
func raiseDescriptorLimit() -> Int {
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  getrlimit(resource, &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(resource, &limit)
  getrlimit(resource, &limit)
  return Int(clamping: limit.rlim_cur)
}
