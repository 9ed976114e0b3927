import JWTKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A public key, with the one algorithm that it is used with.
struct VerificationKey: Sendable {
  /// The algorithm, as the key set or the configuration names it; a token never decides it.
  let algorithm: JWTSettings.Algorithm
  private let verifier: any JWTAlgorithm

  /// A key.
  ///
  /// For a key without an algorithm, a collection of jwt-kit takes the algorithm of the first token that it sees. So each key has a
  /// collection of its own and has its algorithm beforehand, and the collection never sees a token.
  ///
  /// - Parameters:
  ///   - key: the key, with its algorithm.
  ///   - algorithm: the same algorithm.
  /// - Throws: jwt-kit's error for an invalid key.
  init(_ key: JWK, _ algorithm: JWTSettings.Algorithm) async throws {
    self.algorithm = algorithm
    let collection = try await JWTKeyCollection().add(jwk: key)
    verifier = try await collection.getKey()
  }

  /// Whether a signature is this key's.
  ///
  /// - Parameters:
  ///   - signature: the token's signature.
  ///   - bytes: what was signed.
  /// - Returns: false also for bytes that are no signature of this algorithm.
  func verifies(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
    (try? verifier.verify(signature, signs: bytes)) ?? false
  }
}
