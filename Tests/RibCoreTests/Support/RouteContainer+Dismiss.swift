import RibCore

/// Takes a child away, as a node does for the back button; a free function, for `#expect` calls no mutating ones.
func dismiss<Container: RouteContainer>(_ key: Int, from container: inout Container) -> Bool { container.dismiss(key) }
