import NetworkHealthExporter

/// The executable; all that it does is in a library, with which tests and fuzz targets are linked too.
@main
enum Start {
    static func main() async { await runCommand() }
}
