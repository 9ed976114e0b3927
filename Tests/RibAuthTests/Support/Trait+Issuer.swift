import RibTestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// The tests talk to an issuer in Python.
  static var withIssuer: Self {
    .enabled(if: TestRun.includesTests(of: IssuerProcess.python), "make test sets RIB_PYTHON")
  }
}
