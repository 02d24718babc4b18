/// One connection to NetworkManager: subscribes, finds the owner of its name, reads its properties, and follows changes.
struct NetworkManagerSession: ~Copyable {
    /// How long a bus or a NetworkManager may leave a request unanswered before the connection is closed.
    static let answerLimit = Duration.seconds(10)
    /// Messages taken per `process`, so that a flood cannot keep the loop from its other work.
    private static let messageLimit = 64
    /// Requests in flight at once; a system bus allows a connection 128 by default.
    private static let inquiryLimit = 32

    private static let service = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let managerInterface = "org.freedesktop.NetworkManager"
    private static let deviceInterface = "org.freedesktop.NetworkManager.Device"
    private static let propertiesInterface = "org.freedesktop.DBus.Properties"
    private static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"

    /// True once it is known whether NetworkManager runs and, where it does, its facts are complete.
    var isSettled: Bool { isOwnerKnown && (owner == nil || facts != nil) }
    /// NetworkManager's facts; nil while it is absent or has not answered completely.
    private(set) var facts: NetworkManagerFacts?

    private let bus: BusConnection
    private var model = NetworkManagerModel()
    /// The unique name that owns `service`; nil while there is none.
    private var owner: String?
    private var isOwnerKnown = false
    private var questions: [UInt64: Question] = [:]
    /// When to close the connection, if there are questions; moved by each message.
    private var answerDeadline: SuspendingClock.Instant
    private var isBroken = false

    private enum Question: Equatable {
        case match
        case owner
        case manager
        case device(path: String)
    }

    /// Connects; nil when there is no bus.
    init?(busAddress: String?, now: SuspendingClock.Instant) {
        guard let bus = BusConnection(address: busAddress) else { return nil }
        self.bus = bus
        answerDeadline = now + Self.answerLimit
        // Subscribed before the first question, so that no change falls between.
        let properties =
            "type='signal',sender='\(Self.service)',interface='\(Self.propertiesInterface)',"
            + "member='PropertiesChanged',path_namespace='\(Self.managerPath)',arg0="
        for match in [
            "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',member='NameOwnerChanged',"
                + "arg0='\(Self.service)'",
            properties + "'\(Self.managerInterface)'",
            properties + "'\(Self.deviceInterface)'",
        ] {
            ask(.match, "AddMatch", match, of: Self.driver, at: Self.driverPath, on: Self.driver)
        }
        ask(.owner, "GetNameOwner", Self.service, of: Self.driver, at: Self.driverPath, on: Self.driver)
    }

    var pollRequest: (descriptor: Int32, events: Int16) { bus.pollRequest }

    /// When `process` has work even if the descriptor stays silent.
    var deadline: SuspendingClock.Instant? {
        let answer = questions.isEmpty ? nil : answerDeadline
        return [answer, bus.deadline].compactMap(\.self).min()
    }

    /// Takes what has arrived; false when this connection must be closed.
    mutating func process(now: SuspendingClock.Instant) -> Bool {
        var isNew = false
        loop: for _ in 0..<Self.messageLimit where !isBroken {
            switch bus.next() {
            case .idle: break loop
            case .progress: continue
            case .message(let message):
                handle(message, now: now)
                isNew = true
            case .closed: isBroken = true
            }
        }
        if isNew { facts = model.facts }
        return !isBroken && (questions.isEmpty || now < answerDeadline)
    }

    private mutating func handle(_ message: borrowing BusMessage, now: SuspendingClock.Instant) {
        switch message.kind {
        case .reply(let cookie):
            guard let question = questions.removeValue(forKey: cookie) else { return }
            takeAnswer(to: question, message)
        case .failure(let cookie):
            guard let question = questions.removeValue(forKey: cookie) else { return }
            takeFailure(of: question, message)
        case .signal:
            takeSignal(message)
        case .call:
            return
        }
        askDevices()
        answerDeadline = now + Self.answerLimit
    }

    private mutating func takeAnswer(to question: Question, _ message: borrowing BusMessage) {
        switch question {
        case .match:
            break
        case .owner:
            setOwner(message.readString())
        case .manager:
            // A manager whose properties cannot be read cannot be used.
            if let properties = message.readProperties() {
                model.updateManager(properties, isComplete: true)
            } else {
                isBroken = true
            }
        case .device(let path):
            model.answerDevice(path, message.readProperties())
        }
    }

    private mutating func takeFailure(of question: Question, _ message: borrowing BusMessage) {
        switch question {
        case .owner where message.isError("org.freedesktop.DBus.Error.NameHasNoOwner"):
            setOwner(nil)
        case .device(let path):
            model.answerDevice(path, nil)
        case .match, .owner, .manager:
            isBroken = true
        }
    }

    private mutating func takeSignal(_ message: borrowing BusMessage) {
        // A match rule does not keep other peers from sending such signals directly: only these two senders are accepted.
        let sender = message.sender
        if sender == Self.driver, message.isSignal("NameOwnerChanged", of: Self.driver) {
            // The name, its old owner, its new owner; an empty string for none.
            guard message.readString() == Self.service, message.readString() != nil,
                let newOwner = message.readString()
            else { return }
            setOwner(newOwner.isEmpty ? nil : newOwner)
        } else if sender == owner, message.isSignal("PropertiesChanged", of: Self.propertiesInterface) {
            guard
                let path = message.path, let interface = message.readString(),
                let changed = message.readProperties(), let invalidated = message.readPropertyNames()
            else { return }
            if interface == Self.deviceInterface {
                model.changeDevice(path, changed, invalidated: invalidated)
            } else if interface == Self.managerInterface, path == Self.managerPath {
                model.updateManager(changed, isComplete: false)
                if !invalidated.isEmpty { askManager() }
            }
        }
    }

    /// Starts again with another owner of the name; answers of the one before no longer count.
    private mutating func setOwner(_ name: String?) {
        if isOwnerKnown, name == owner { return }
        isOwnerKnown = true
        owner = name
        model = NetworkManagerModel()
        questions = questions.filter { $0.value == .match || $0.value == .owner }
        askManager()
    }

    private mutating func askManager() {
        guard let owner, !questions.values.contains(.manager) else { return }
        ask(.manager, "GetAll", Self.managerInterface, of: Self.propertiesInterface, at: Self.managerPath, on: owner)
    }

    private mutating func askDevices() {
        guard let owner else { return }
        while questions.count < Self.inquiryLimit, !isBroken, let path = model.takeInquiry() {
            ask(.device(path: path), "GetAll", Self.deviceInterface, of: Self.propertiesInterface, at: path, on: owner)
        }
    }

    private mutating func ask(
        _ question: Question,
        _ member: String,
        _ argument: String,
        of interface: String,
        at path: String,
        on peer: String
    ) {
        if let cookie = bus.call(member, argument, of: interface, at: path, on: peer) {
            questions[cookie] = question
        } else {
            isBroken = true
        }
    }
}
