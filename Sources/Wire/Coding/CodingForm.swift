/// For whom a value is coded.
enum CodingForm {
  /// For clients: everything has a form that any program can read.
  case wire
  /// For the same program: everything comes back exactly, as its type codes itself.
  case state
}
