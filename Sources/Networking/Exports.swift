// Parameters and results are types of both, so that `import Networking` alone is enough to call it on Linux.
@_exported public import Foundation
@_exported public import FoundationNetworking
