RUNBOOK = {
    "too small batches": (..., ...),  # (condition, cure)
    "state without an end": (..., ...),
    "limit too low": (..., ...),
}
