/// Makes a riblet for a configuration, and hides which: a parent that holds one knows what the child is built with and
/// what it says, not its type.
///
/// Dependencies are the builder's properties; what is known only at run time is the configuration.
///
///     struct HomeBuilder: Builder {
///       let dependency: any HomeDependency
///       func build(_ config: HomeConfig) -> any Riblet<HomeOutput> { Home(config, api: dependency.api) }
///     }
public protocol Builder<Config, Output> {
  /// What the riblet is built with.
  associatedtype Config
  /// What the riblet says.
  associatedtype Output: Sendable

  /// Makes a riblet.
  ///
  /// - Parameter config: what it is built with.
  /// - Returns: the riblet.
  func build(_ config: Config) -> any Riblet<Output>
}
