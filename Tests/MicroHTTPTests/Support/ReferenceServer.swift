import Lab

/// nginx on loopback, which answers 200 for `/a`: the reference for what a request is.
struct ReferenceServer {
    let port: UInt16
    private let nginx: Nginx

    init() throws {
        port = try Loopback.closedPort()
        nginx = try Nginx(
            """
            access_log off; large_client_header_buffers 4 32k;
            server { listen 127.0.0.1:\(port); location = /a { return 200 "a"; } }
            """
        )
    }
}
