import CFuzz
import Coordination
import Foundation
import SpeedTestCore

/// Has libFuzzer damage outside input, and every parser read it; for a build by `scripts/fuzz`, with the address sanitizer.
///
/// `fuzz --list` prints the targets with the runs of CI. `fuzz TARGET FOLDER [ARGUMENT…]` passes the arguments to libFuzzer;
/// the folder receives the inputs that reach new code, and those that were found.
@main
enum Fuzz {
    private static let run = Locked(FuzzRun?.none)

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments == ["--list"] {
            for target in FuzzTarget.all { print(target.name, target.runs) }
            return
        }
        guard arguments.count >= 2, let target = FuzzTarget.all.first(where: { $0.name == arguments[1] }) else {
            fail("usage: fuzz --list | fuzz TARGET FOLDER [ARGUMENT…]", status: 64)
        }
        // With clocks that change.
        LocalTimeZone.use("Europe/Berlin")
        let reader = try target.makeReader()
        let own = try FuzzFolder(arguments[2]).write(reader)
        run.withLock { $0 = FuzzRun(name: target.name, reader: reader) }
        if reader.isCut {
            for seed in reader.seeds { for length in seed.indices { read(Array(seed[..<length])) } }
        }
        atexit { Fuzz.report() }
        let others = Array(arguments.dropFirst(2))
        // Of inputs alone libFuzzer reads each once.
        let isReplay = others.contains { !$0.hasPrefix("-") && !$0.isDirectory }
        var pointers = (["fuzz"] + (isReplay ? own.options : own.options + [own.corpus]) + others).map { strdup($0) }
        nhe_run_fuzzer(Int32(pointers.count), &pointers, readFuzzInput)
        fail("this build has no libFuzzer: use scripts/fuzz", status: 69)
    }

    /// Reads one input, and ends the process where something is wrong, so that libFuzzer keeps it.
    fileprivate static func read(_ input: [UInt8]) {
        guard let reader = run.withLock({ $0?.reader }) else { return }
        do {
            let isAccepted = try reader.read(input)
            run.withLock { $0?.count(isAccepted) }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            abort()
        }
    }

    /// At the end of a run without a finding.
    private static func report() {
        guard let run = run.withLock({ $0 }) else { return }
        print(run.description)
        fflush(nil)
        if !run.isTelling { _exit(1) }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

/// What libFuzzer calls: it needs a function of this name, although it gets this one as an argument.
@c(LLVMFuzzerTestOneInput)
func readFuzzInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

extension String {
    fileprivate var isDirectory: Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: self, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}
