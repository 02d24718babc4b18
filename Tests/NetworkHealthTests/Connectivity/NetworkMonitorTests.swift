import Coordination
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth

@Suite(.timeLimit(.minutes(3)))
struct NetworkMonitorTests {
    private let host = ScriptedHost()

    private func monitor() -> NetworkMonitor { NetworkMonitor(source: host) }

    @Test func `is disconnected before the start and complete right after`() {
        let monitor = monitor()
        #expect(!monitor.isConnected && !monitor.isOnline)
        #expect(monitor.status == .disconnected)
        #expect(monitor.connectionType == nil)
        monitor.start()
        #expect(monitor.isConnected && monitor.isOnline)
        #expect(monitor.status == .connected)
        #expect(monitor.connectionType == .wifi)
    }

    @Test func `without a connection there is no type of one`() {
        let monitor = monitor()
        monitor.start()
        var path = ScriptedHost.up
        path.status = .requiresConnection
        host.change(to: path)
        #expect(monitor.status == .requiresConnection)
        #expect(!monitor.isConnected)
        #expect(monitor.connectionType == nil)
    }

    @Test func `the cost is unknown while stopped and in a container, and unmetered only where it is known`() {
        let monitor = monitor()
        #expect(!monitor.isExpensive && !monitor.isConstrained && !monitor.isCostKnown && !monitor.isUnmetered)
        monitor.start()
        #expect(monitor.isCostKnown && monitor.isUnmetered)
        var path = ScriptedHost.up
        path.expensiveSource = .unknown
        host.change(to: path)
        #expect(!monitor.isExpensive && !monitor.isCostKnown && !monitor.isUnmetered)
        (path.expensiveSource, path.isExpensive) = (.cellular, true)
        host.change(to: path)
        #expect(monitor.isExpensive && monitor.isCostKnown && !monitor.isUnmetered)
        (path.isExpensive, path.isConstrained, path.constrainedSource) = (false, true, .config)
        host.change(to: path)
        #expect(monitor.isConstrained && monitor.isCostKnown && !monitor.isUnmetered)
    }

    @Test func `updates begin with the current status and report each change once`() async {
        let monitor = monitor()
        monitor.start()
        let updates = monitor.updates
        var expensive = ScriptedHost.up
        expensive.isExpensive = true
        for path in [
            expensive, ScriptedHost.down, ScriptedHost.down, .over(.cellular), Path(status: .requiresConnection),
        ] {
            host.change(to: path)
        }
        var reported: [NetworkStatus] = []
        for await status in updates.prefix(4) { reported.append(status) }
        #expect(reported == [.connected, .disconnected, .connected, .requiresConnection])
    }

    @Test func `connection types begin with the current one, and are nil without a connection`() async {
        let monitor = monitor()
        monitor.start()
        let (types, service) = (
            monitor.connectionTypes, ConnectivityService(source: host) { throw CancellationError() }
        )
        let sameTypes = service.connectionTypes
        for path in [ScriptedHost.down, ScriptedHost.down, .over(.cellular), .over(.cellular, name: "wwan1")] {
            host.change(to: path)
        }
        var seen: [ConnectionType?] = []
        for await type in types.prefix(3) { seen.append(type) }
        for await type in sameTypes.prefix(3) { seen.append(type) }
        #expect(seen == [.wifi, nil, .cellular, .wifi, nil, .cellular])
    }

    @Test func `a kernel that cannot be read is a failure with its reason, and neither lost nor without a type`() {
        let monitor = monitor()
        #expect(monitor.failure == nil && monitor.status == .disconnected && monitor.connectionType == nil)
        host.unreadable.send("socket: Permission denied")
        #expect(monitor.failure == "socket: Permission denied")
        #expect(monitor.status == .unsatisfied && monitor.connectionType == .unknown && !monitor.isConnected)
        let service = ConnectivityService(source: host) { throw CancellationError() }
        #expect(service.failure == "socket: Permission denied")
        #expect(service.connectionType == .unknown && !service.isConnected)
    }

    @Test func `each failure is logged once as an error while the monitor runs, and so is a start that fails`() async {
        let calls = CallLog()
        let host = ScriptedHost(log: EvaluationLog(calls))
        let monitor = NetworkMonitor(source: host)
        host.fail(SystemError(call: "pthread_create", code: 11))
        monitor.start()
        #expect(await calls.first(1)[0].hasPrefix("error The network cannot be watched: pthread_create"))
        host.fail(nil)
        monitor.start()
        for failure in ["socket: Permission denied", nil, "socket: Too many open files"] {
            host.unreadable.send(failure)
        }
        let failed = "error The kernel's network state cannot be read, trying again: socket:"
        #expect(
            await calls.first(4).dropFirst() == [
                "\(failed) Permission denied", "info The kernel's network state can be read again",
                "\(failed) Too many open files",
            ]
        )
        monitor.stop()
    }

    @Test func `connectivity and its return follow the path where the internet is not probed`() async {
        let monitor = monitor()
        monitor.start()
        let (connectivity, restored) = (monitor.connectivity, monitor.connectivityRestored)
        for path in [ScriptedHost.down, ScriptedHost.up, .over(.wiredEthernet), ScriptedHost.down, ScriptedHost.up] {
            host.change(to: path)
        }
        var reported: [Bool] = []
        for await isConnected in connectivity.prefix(5) { reported.append(isConnected) }
        #expect(reported == [true, false, true, false, true])
        // The readers end with the monitor, so that what comes is all there is.
        host.health.states.finish()
        var returns = 0
        for await _ in restored { returns += 1 }
        #expect(returns == 2)
    }

    @Test func `a return is also reported when it begins without a connection`() async {
        host.change(to: ScriptedHost.down)
        let monitor = monitor()
        monitor.start()
        let restored = monitor.connectivityRestored
        host.change(to: ScriptedHost.up)
        host.health.states.finish()
        var returns = 0
        for await _ in restored { returns += 1 }
        #expect(returns == 1)
    }

    @Test func `where the internet is probed, online follows the verdict and connected the path`() async {
        let (monitor, internet) = probingMonitor()
        monitor.start()
        let connectivity = monitor.connectivity
        #expect(monitor.isConnected)
        #expect(!monitor.isOnline)
        let found = internet.withLock { $0 }
        found?.find(.captivePortal)
        #expect(monitor.isConnected && !monitor.isOnline)
        found?.find(.online)
        #expect(monitor.isOnline)
        host.change(to: ScriptedHost.down)
        #expect(!monitor.isConnected && !monitor.isOnline)
        host.change(to: ScriptedHost.up)
        #expect(monitor.isConnected && !monitor.isOnline)
        found?.find(.degraded)
        #expect(monitor.isOnline)
        #expect(found?.paths.withLock { $0 }.map(\.isSatisfied) == [true, false, true])
        var reported: [Bool] = []
        for await isOnline in connectivity.prefix(4) { reported.append(isOnline) }
        #expect(reported == [false, true, false, true])
    }

    @Test func `probes from the start to the stop, again after each start`() async throws {
        let (monitor, internet) = probingMonitor()
        #expect(internet.withLock { $0 } == nil)
        monitor.start()
        let first = try #require(internet.withLock { $0 })
        for await _ in first.running { break }
        first.find(.online)
        monitor.stop()
        for await _ in first.running { Issue.record("one run, then its end") }
        first.find(.online)
        #expect(!monitor.isOnline)
        monitor.start()
        let second = try #require(internet.withLock { $0 })
        #expect(second !== first)
        #expect(monitor.isConnected && !monitor.isOnline)
        second.find(.online)
        #expect(monitor.isOnline)
    }

    @Test func `stops probing with its last reference`() async throws {
        var (monitor, internet): (NetworkMonitor?, Locked<ScriptedInternet?>) = probingMonitor()
        monitor?.start()
        let asker = try #require(internet.withLock { $0 })
        monitor = nil
        for await _ in asker.running {}
        #expect(host.health.current == nil)
    }

    @Test func `without a prober online stays unknown, which is not online`() {
        let monitor = NetworkMonitor(source: host, internet: .probing()) { _, _ in
            throw SystemError(call: "test", code: 1)
        }
        monitor.start()
        #expect(monitor.isConnected)
        #expect(!monitor.isOnline)
    }

    @Test func `works again after a stop, in the same sequences`() async {
        let monitor = monitor()
        monitor.start()
        monitor.start()
        var updates = monitor.updates.makeAsyncIterator()
        #expect(await updates.next(isolation: nil) == .connected)
        monitor.stop()
        monitor.stop()
        #expect(monitor.status == .disconnected)
        #expect(monitor.connectionType == nil)
        host.change(to: ScriptedHost.down)
        monitor.start()
        #expect(await updates.next(isolation: nil) == .disconnected)
        host.change(to: ScriptedHost.up)
        #expect(await updates.next(isolation: nil) == .connected)
        #expect(monitor.isConnected)
    }

    @Test func `a start that fails can be repeated`() {
        let (monitor, internet) = probingMonitor()
        host.fail(SystemError(call: "test", code: 1))
        monitor.start()
        #expect(!monitor.isConnected)
        host.fail(nil)
        monitor.start()
        #expect(monitor.isConnected)
        internet.withLock { $0 }?.find(.online)
        #expect(monitor.isOnline)
    }

    @Test func `a sequence ends with the task that reads it`() async {
        let monitor = monitor()
        monitor.start()
        let (isReading, reading) = AsyncStream<Void>.makeStream()
        let readers = Task {
            await withTaskGroup { group in
                group.addTask { for await _ in monitor.updates { reading.yield() } }
                group.addTask { for await _ in monitor.connectivity { reading.yield() } }
                group.addTask {
                    for await _ in monitor.connectivityRestored { reading.yield() }
                }
            }
        }
        for await _ in isReading.prefix(2) {}
        readers.cancel()
        await readers.value
        #expect(host.health.states.readerCount == 0)
    }

    @Test func `watches this machine, and its first read agrees with the library`() async {
        let monitor = NetworkMonitor()
        monitor.start()
        let status = monitor.status
        #expect(status.isConnected == (await NetworkHealth.snapshot().quality != .offline))
        for await first in monitor.updates {
            #expect(first == status)
            break
        }
        monitor.stop()
        #expect(monitor.status == .disconnected)
        monitor.start()
        #expect(monitor.status == status)
    }

    /// A monitor that asks, and who asks for it since its last start.
    @Test func `after a suspend the internet is probed again`() async throws {
        let (monitor, made) = probingMonitor()
        monitor.start()
        let internet = try #require(made.withLock { $0 })
        for await _ in internet.running { break }
        host.wake()
        for await _ in internet.resumptions.stream { break }
        monitor.stop()
    }

    private func probingMonitor() -> (NetworkMonitor, Locked<ScriptedInternet?>) {
        let internet = Locked<ScriptedInternet?>(nil)
        let monitor = NetworkMonitor(source: host, internet: .probing()) { _, onVerdict in
            let new = ScriptedInternet(onVerdict)
            internet.withLock { $0 = new }
            return new
        }
        return (monitor, internet)
    }
}
