import SpeedTestCore

extension SpeedTestSection {
    /// What one test may do, but for the bytes.
    func options(directions: [Direction]) -> SpeedTestOptions {
        var options = SpeedTestOptions()
        options.directions = directions
        options.window = window
        // What is asked for fits, with its warm-up and what goes before and between.
        options.directionWall = max(options.directionWall, window.upperBound + .seconds(10))
        options.testWall = max(options.testWall, options.directionWall * directions.count + .seconds(50))
        return options
    }
}
