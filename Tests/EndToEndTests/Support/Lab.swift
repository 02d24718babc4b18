// Every test of this target uses its programs, folders and namespaces.
@_exported public import Lab
