/// A unit of an app: logic, the view that clients see of it, and its children.
///
/// The three roles may be written in one type or apart, each as an extension in a file of its own:
///
///     struct Counter: Riblet {
///       static let typeName = "Counter"
///       enum ViewAction: Decodable { case increment, decrement }
///       struct ViewState: Encodable, Equatable { var count: Int }
///
///       func makeState() -> Int { 0 }
///       func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
///         switch viewAction {
///         case .increment: count += 1
///         case .decrement: count -= 1
///         }
///         return .none
///       }
///       func view(_ count: Int) -> ViewState { ViewState(count: count) }
///     }
public protocol Riblet<Output>: Interactor, Presenter, Router {
  /// The name by which clients know this kind of riblet: the node's `type`. It stays when the Swift type is renamed.
  static var typeName: String { get }
}

/// A unit of an app without a view: logic between other riblets.
///
/// Its children appear under the nearest ancestor with a view. This is a protocol of its own, so that forgetting `view`
/// in a ``Riblet`` stays an error.
public protocol ViewlessRiblet<Output>: Riblet where ViewState == Never {}

extension ViewlessRiblet {
  /// Never called: there is no view.
  public func view(_ state: State) -> Never { preconditionFailure("\(Self.typeName) has no view") }
}
