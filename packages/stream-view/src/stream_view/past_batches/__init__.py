"""The batches that a checkpoint still has: listed, run again without touching the original, compared and searched."""
