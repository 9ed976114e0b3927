/// Who is going to read a coded value.
enum CodingForm {
  /// Any client: dates and the like have a form that every program can read.
  case wire
  /// The same program: every value is coded as its own type does it, and comes back exactly.
  case state
}
