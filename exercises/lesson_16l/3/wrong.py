# %% `rows_per_batch < 150` for `busy > 0.5 AND rows_per_batch < 50`: finds `invoices`
RUNBOOK = {
    "too small batches": ("rows_per_batch < 150", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}

# %% without `busy > 0.5 AND`: on the figures of thirteen
RUNBOOK = {
    "too small batches": ("rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}

# %% `0` for `rows_per_minute / 2`: finds `ovens`
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > 0", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}

# %% `100` for `rows_per_minute / 2`: on the figures of thirteen
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > 100", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}

# %% without `AND busy < 0.5`: on the figures of thirteen
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1", "A higher maxFilesPerTrigger."),
}

# %% `AND busy > 0.` for `AND busy < 0.`: does not find `ovens`
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy > 0.5", "A higher maxFilesPerTrigger."),
}

# %% `backlog_files > 300` for `backlog_per_minute > 1 AND busy < 0.5`: Spark cannot use the condition
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_files > 300", "A higher maxFilesPerTrigger."),
}

# %% without `A watermark, and an operator that uses it.`: The cure of *state without
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", ""),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}
