import SpeedTestCore

extension SpeedTestSection {
    /// What one test may do, but for the bytes.
    func options(directions: [Direction]) -> SpeedTestOptions {
        var options = SpeedTestOptions()
        options.directions = directions
        options.window = window
        return options
    }
}
