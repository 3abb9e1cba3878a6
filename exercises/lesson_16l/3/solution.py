RUNBOOK = {
    "too small batches": (
        "busy > 0.5 AND rows_per_batch < 50",
        "A longer trigger interval: see the promise."),
    "state without an end": (
        "state_per_minute > rows_per_minute / 2",
        "A watermark, and an operator that uses it."),
    "limit too low": (
        "backlog_per_minute > 1 AND busy < 0.5",
        "A higher maxFilesPerTrigger."),
}
