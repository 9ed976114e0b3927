/// Makes a riblet for a configuration, and hides the riblet's type: a parent that holds a builder knows only the
/// configuration and the outputs of the child.
///
/// Dependencies are properties of the builder; what is known only at run time is the configuration.
///
///     struct HomeBuilder: Builder {
///       let dependency: any HomeDependency
///       func build(_ config: HomeConfig) -> any Riblet<HomeOutput> { Home(config, api: dependency.api) }
///     }
public protocol Builder<Config, Output> {
  /// What the riblet is built for.
  associatedtype Config
  /// The outputs of the riblet.
  associatedtype Output: Sendable

  /// Makes the riblet for a configuration.
  func build(_ config: Config) -> any Riblet<Output>
}
