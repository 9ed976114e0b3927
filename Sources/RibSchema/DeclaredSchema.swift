import RibCore
@_spi(Reflection) import Swift
import Wire

/// Finds the schema of a type by the type's declaration, for types whose `encode(to:)` the compiler makes.
///
/// No value of the type is needed, and nothing is decoded.
enum DeclaredSchema {
  /// The schema of a type.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - open: the types that it is a part of, from the outermost inwards.
  /// - Returns: the schema; ``JSONSchema/unknown(_:)`` where the declaration says nothing.
  static func schema(of type: any Any.Type, in open: [any Any.Type] = []) -> JSONSchema {
    if let type = type as? any JSONSchemaProviding.Type { return .custom(type.schema) }
    if let simple = ShapeFinder.simpleSchema(of: type) { return simple }
    if let container = type as? any DeclaredContainer.Type { return container.declared(in: open) }
    guard !open.contains(where: { $0 == type }) else { return .unknown("\(type) contains itself.") }
    if let strings = strings(of: type) { return strings }
    if let raw = type as? any RawRepresentable.Type { return rawSchema(of: raw, in: open) }
    guard let fields = fields(of: type, in: open + [type]) else {
      return .unknown("The view has had no \(type) yet, and its declaration does not say how it is encoded.")
    }
    return .object(fields)
  }

  /// The members that a struct has by its stored properties; nil for any other type.
  static func fields(of type: any Any.Type, in open: [any Any.Type]) -> [JSONSchema.Property]? {
    guard type is any Encodable.Type, !isOfLibrary(type) else { return nil }
    var fields: [JSONSchema.Property] = []
    var hasWrapper = false
    let isStruct = _forEachField(of: type, options: ignoringUnknown) { name, _, fieldType, _ in
      let field = String(cString: name)
      // The storage of a property wrapper, which decides how it is encoded.
      if field.hasPrefix("_") { hasWrapper = true }
      // An optional property that is nil is left out.
      let (isOptional, wrapped) = (fieldType as? any OptionalType.Type).map { (true, $0.wrapped) } ?? (false, fieldType)
      fields.append(.init(field, schema(of: wrapped, in: open), isRequired: !isOptional))
      return true
    }
    return isStruct && !hasWrapper && !EnumCases.isEnum(type) ? fields : nil
  }

  /// Whether a type is one of Swift's own libraries, whose types encode themselves.
  private static func isOfLibrary(_ type: any Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    return ["Swift", "Foundation", "FoundationEssentials", "__C", "Dispatch", "Synchronization"].contains(module)
  }

  /// A type with a raw value is encoded as that.
  private static func rawSchema<Value: RawRepresentable>(of type: Value.Type, in open: [any Any.Type]) -> JSONSchema {
    schema(of: Value.RawValue.self, in: open + [type])
  }

  /// Fields of kinds that the runtime does not know do not matter: it is a variable in the library, which Swift 6 lets nobody read.
  private static var ignoringUnknown: _EachFieldOptions { _EachFieldOptions(rawValue: 1 << 1) }

  private static func strings(of type: any Any.Type) -> JSONSchema? {
    func strings<Value>(_ type: Value.Type) -> JSONSchema? { ShapeFinder.strings(of: type) }
    return _openExistential(type, do: strings)
  }
}

/// A container whose JSON follows from its parts.
private protocol DeclaredContainer {
  static func declared(in open: [any Any.Type]) -> JSONSchema
}

private protocol OptionalType {
  static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType, DeclaredContainer {
  fileprivate static var wrapped: any Any.Type { Wrapped.self }
  fileprivate static func declared(in open: [any Any.Type]) -> JSONSchema {
    .nullable(DeclaredSchema.schema(of: Wrapped.self, in: open))
  }
}

extension Array: DeclaredContainer {
  fileprivate static func declared(in open: [any Any.Type]) -> JSONSchema {
    .array(DeclaredSchema.schema(of: Element.self, in: open))
  }
}

extension Set: DeclaredContainer {
  fileprivate static func declared(in open: [any Any.Type]) -> JSONSchema {
    .array(DeclaredSchema.schema(of: Element.self, in: open))
  }
}

extension IdentifiedArray: DeclaredContainer {
  fileprivate static func declared(in open: [any Any.Type]) -> JSONSchema {
    .array(DeclaredSchema.schema(of: Element.self, in: open))
  }
}

extension Dictionary: DeclaredContainer {
  fileprivate static func declared(in open: [any Any.Type]) -> JSONSchema {
    let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    return isObject
      ? .dictionary(DeclaredSchema.schema(of: Value.self, in: open))
      : .unknown("\(Self.self) is an array of keys and values in turn.")
  }
}

extension JSONSchema {
  /// What is known of a value's schema by the value, and by the declaration of its type.
  ///
  /// The value counts where both say something: an `encode(to:)` of one's own does as it likes.
  func completed(by type: any Any.Type) -> JSONSchema {
    guard case .object(let seen, _) = self else { return completed(by: DeclaredSchema.schema(of: type)) }
    guard !(type is any DeclaredContainer.Type) else { return completed(by: DeclaredSchema.schema(of: type)) }
    guard let fields = DeclaredSchema.fields(of: type, in: [type]),
      seen.allSatisfy({ member in fields.contains { $0.name == member.name } }),
      // A property that is no optional would be there, were it encoded.
      fields.allSatisfy({ field in !field.isRequired || seen.contains { $0.name == field.name } })
    else {
      let comment = "\(type) encodes itself: these members were in its first value, and there may be others."
      return .object(seen, comment: comment)
    }
    let members = fields.map { field in
      let known = seen.first { $0.name == field.name }?.schema
      return Property(field.name, known?.completed(by: field.schema) ?? field.schema, isRequired: field.isRequired)
    }
    return .object(members)
  }

  private func completed(by declared: JSONSchema) -> JSONSchema {
    switch (self, declared) {
    case (.unknown, _), (.object, .dictionary), (.object, .custom): declared
    case (.array(let seen), .array(let element)): .array(seen.completed(by: element))
    case (.nullable(let seen), .nullable(let element)), (let seen, .nullable(let element)):
      .nullable(seen.completed(by: element))
    default: self
    }
  }
}
