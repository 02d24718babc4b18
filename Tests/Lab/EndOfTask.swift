/// Returns once the task is cancelled.
package func endOfTask() async {
    let (never, _) = AsyncStream<Void>.makeStream()
    await withTaskCancellationHandler {
        for await _ in never {}
    } onCancel: {
    }
}
