# %% conditions in other words
RUNBOOK = {
    "limit too low": ["1 < backlog_per_minute AND NOT busy >= 0.5", "Raise the limit."],
    "too small batches": ["NOT (busy <= 0.5 OR rows_per_batch >= 50)", "Wait longer."],
    "state without an end": ["2 * state_per_minute > rows_per_minute", "Forget in time."],
}

# %% entry by entry
RUNBOOK = {}
RUNBOOK["too small batches"] = ("rows_per_batch < 50 AND busy * 3600000 > 1800000", "Fewer and larger batches.")
RUNBOOK["state without an end"] = ("state_per_minute / rows_per_minute > 0.5", "A watermark.")
RUNBOOK["limit too low"] = ("busy < 0.5 AND backlog_per_minute > 1.0", "A higher limit.")
