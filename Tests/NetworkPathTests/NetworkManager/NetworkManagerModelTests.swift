import Testing

@testable import NetworkPath

struct NetworkManagerModelTests {
    private static func model(devices: [String]) -> NetworkManagerModel {
        var model = NetworkManagerModel()
        model.updateManager([.state: .number(70), .devices: .paths(devices)], isComplete: true)
        return model
    }

    private typealias Properties = [NetworkManagerProperty: PropertyValue]

    private static func device(_ name: String, ip: String = "", state: UInt32 = 100) -> Properties {
        [.interface: .text(name), .ipInterface: .text(ip), .state: .number(state), .deviceType: .number(1)]
    }

    @Test func `there are no facts before the manager and every device has answered`() {
        var model = NetworkManagerModel()
        #expect(model.facts == nil)
        model.updateManager([.devices: .paths(["/1", "/2"])], isComplete: true)
        #expect(model.facts == nil)
        model.answerDevice("/1", Self.device("eth0"))
        #expect(model.facts == nil)
        model.answerDevice("/2", nil)
        #expect(model.facts.map { Array($0.devices.keys) } == ["eth0"])
    }

    @Test func `a manager without properties gives the plainest facts`() {
        var model = NetworkManagerModel()
        model.updateManager([:], isComplete: true)
        #expect(model.facts == NetworkManagerFacts())
    }

    @Test func `a change before the first full answer is not an answer`() {
        var model = NetworkManagerModel()
        model.updateManager([.state: .number(70)], isComplete: false)
        #expect(model.facts == nil)
    }

    @Test(
        arguments: [
            (0, .unknown), (1, .yes), (2, .no), (3, .guessYes), (4, .guessNo), (5, .unknown), (.max, .unknown),
        ] as [(UInt32, MeteredState)]
    )
    func `the number of metered becomes its case`(number: UInt32, metered: MeteredState) {
        var model = Self.model(devices: ["/1"])
        model.answerDevice("/1", [.interface: .text("eth0"), .metered: .number(number)])
        #expect(model.facts?.devices["eth0"]?.metered == metered)
    }

    @Test(
        arguments: [
            .metered: .text("1"), .state: .flag(true), .deviceType: .paths([]), .interface: .number(1),
            .ipInterface: .flag(false), .devices: .number(1),
        ] as [NetworkManagerProperty: PropertyValue]
    )
    func `a value of the wrong type changes nothing`(property: NetworkManagerProperty, value: PropertyValue) {
        var model = Self.model(devices: ["/1"])
        model.answerDevice("/1", Self.device("eth0"))
        let before = model.facts
        model.changeDevice("/1", [property: value], invalidated: [])
        model.updateManager([property: value], isComplete: false)
        #expect(before?.devices.count == 1 && model.facts == before)
    }

    @Test func `a device is found by its interface and by its IP interface`() {
        var model = Self.model(devices: ["/1"])
        model.answerDevice("/1", Self.device("cdc-wdm0", ip: "wwan0"))
        #expect(model.facts.map { Set($0.devices.keys) } == ["cdc-wdm0", "wwan0"])
        model.changeDevice("/1", [.ipInterface: .text("")], invalidated: [])
        #expect(model.facts.map { Set($0.devices.keys) } == ["cdc-wdm0"])
    }

    @Test func `of two devices with one name the one further up counts, else the older`() {
        var model = Self.model(devices: ["/10", "/9"])
        model.answerDevice("/9", Self.device("eth0", state: 30).merging([.metered: .number(1)]) { $1 })
        model.answerDevice("/10", Self.device("eth0", state: 30).merging([.metered: .number(2)]) { $1 })
        #expect(model.facts?.devices["eth0"]?.metered == .yes)
        model.changeDevice("/10", [.state: .number(100)], invalidated: [])
        #expect(model.facts?.devices["eth0"]?.metered == .no)
    }

    @Test func `every listed device up to the limit is read once`() {
        var model = Self.model(devices: (0..<1000).map { "/\($0)" } + ["/3"])
        var asked: [String] = []
        while let path = model.takeInquiry() { asked.append(path) }
        #expect(asked.sorted() == (0..<NetworkManagerModel.deviceLimit).map { "/\($0)" }.sorted())
    }

    @Test func `a device with an invalidated property is read again and keeps its values meanwhile`() {
        var model = Self.model(devices: ["/1"])
        _ = model.takeInquiry()
        model.answerDevice("/1", Self.device("eth0"))
        model.changeDevice("/1", [:], invalidated: [.metered])
        #expect(model.takeInquiry() == "/1")
        #expect(model.facts?.devices["eth0"] != nil)
    }

    @Test func `a device whose answer failed is read again when it sends a change`() {
        var model = Self.model(devices: ["/1"])
        _ = model.takeInquiry()
        model.answerDevice("/1", nil)
        #expect(model.takeInquiry() == nil)
        model.changeDevice("/1", [.state: .number(100)], invalidated: [])
        #expect(model.facts?.devices.isEmpty == true)
        #expect(model.takeInquiry() == "/1")
    }

    @Test func `a late answer of a device that is no longer listed is dropped`() {
        var model = Self.model(devices: ["/1"])
        _ = model.takeInquiry()
        model.updateManager([.devices: .paths([])], isComplete: false)
        model.answerDevice("/1", Self.device("eth0"))
        #expect(model.facts?.devices.isEmpty == true)
    }

    @Test func `a device that comes later does not hide the facts before it has answered`() {
        var model = Self.model(devices: [])
        model.updateManager([.devices: .paths(["/1"])], isComplete: false)
        #expect(model.facts?.devices.isEmpty == true)
        model.answerDevice("/1", Self.device("eth0"))
        #expect(model.facts?.devices.count == 1)
    }
}
