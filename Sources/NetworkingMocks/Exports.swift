// A test that names the types of what it replaces needs no second import.
@_exported public import Networking
