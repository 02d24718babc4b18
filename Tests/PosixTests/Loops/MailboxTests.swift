import Coordination
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct MailboxTests {
    @Test func `messages are taken in order, once`() throws {
        let mailbox = try Mailbox<Int>(capacity: 8)
        for number in 1...3 { #expect(mailbox.post(number) == .accepted) }
        #expect(mailbox.count == 3)
        let (messages, isStopped) = mailbox.take()
        #expect(messages == [1, 2, 3])
        #expect(!isStopped)
        #expect(mailbox.take().messages.isEmpty)
    }

    @Test func `the descriptor is readable while messages wait, and not afterwards`() throws {
        let mailbox = try Mailbox<Int>(capacity: 8)
        #expect(!Poll.wait(for: mailbox.number, upTo: .zero))
        mailbox.post(1)
        mailbox.post(2)
        #expect(Poll.wait(for: mailbox.number, upTo: .zero))
        mailbox.wait()
        #expect(Poll.wait(for: mailbox.number, upTo: .zero))
        _ = mailbox.take()
        #expect(!Poll.wait(for: mailbox.number, upTo: .zero))
        mailbox.post(3)
        #expect(Poll.wait(for: mailbox.number, upTo: .zero))
    }

    @Test func `a full mailbox refuses, but takes follow-ups and replacements`() throws {
        let mailbox = try Mailbox<Int>(capacity: 2)
        mailbox.post(1)
        mailbox.post(2)
        #expect(mailbox.post(3) == .full)
        #expect(mailbox.post(4, isFollowUp: true) == .accepted)
        #expect(mailbox.post(5) { $0 < 3 } == .accepted)
        #expect(mailbox.take().messages == [4, 5])
        #expect(mailbox.post(6) == .accepted)
    }

    @Test func `a newer message replaces the ones that it makes void`() throws {
        let mailbox = try Mailbox<String>(capacity: 8)
        for message in ["path 1", "state", "path 2"] {
            mailbox.post(message) { $0.prefix(4) == message.prefix(4) }
        }
        #expect(mailbox.take().messages == ["state", "path 2"])
    }

    @Test func `after stop, what was accepted is taken once more and the poster is refused`() throws {
        let mailbox = try Mailbox<Int>(capacity: 2)
        mailbox.post(1)
        mailbox.stop()
        mailbox.stop()
        #expect(mailbox.isStopped)
        #expect(mailbox.post(2) == .stopped)
        #expect(mailbox.post(2, isFollowUp: true) == .stopped)
        let (messages, isStopped) = mailbox.take()
        #expect(messages == [1])
        #expect(isStopped)
    }

    @Test func `after stop every wait ends at once, however often messages are taken`() throws {
        let mailbox = try Mailbox<Never>(capacity: 0)
        mailbox.stop()
        for _ in 1...3 {
            mailbox.wait()
            _ = mailbox.take()
        }
    }

    @Test func `waits for another descriptor too, and no longer than asked for`() throws {
        let mailbox = try Mailbox<Int>(capacity: 1)
        let other = try Wakeup()
        let began = ContinuousClock.now
        mailbox.wait(or: other.number, upTo: .milliseconds(20))
        #expect(began.duration(to: .now) >= .milliseconds(20))
        other.signal()
        mailbox.wait(or: other.number)
    }

    @Test func `what many threads post reaches one loop: all that was accepted, each poster's in order`() async throws {
        let mailbox = try Mailbox<(poster: Int, number: Int)>(capacity: 64)
        let received = Locked<[Int: [Int]]>([:])
        let loop = try LoopThread(name: "loop") {
            while true {
                mailbox.wait()
                let (messages, isStopped) = mailbox.take()
                received.withLock { received in
                    for message in messages { received[message.poster, default: []].append(message.number) }
                }
                if isStopped { return }
            }
        }
        let accepted = Locked<[Int: [Int]]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for poster in 1...4 {
                group.addTask {
                    try await LoopThread.run(name: "poster") { _ in
                        // The first is accepted also where the others have filled the mailbox meanwhile.
                        for number in 1...2000
                        where mailbox.post((poster, number), isFollowUp: number == 1) == .accepted {
                            accepted.withLock { $0[poster, default: []].append(number) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        mailbox.stop()
        await loop.join()
        #expect(mailbox.post((0, 0)) == .stopped)
        #expect(received.withLock { $0 } == accepted.withLock { $0 })
        #expect(received.withLock { $0.count } == 4)
    }
}
