"""What a notebook's kernel is given: at its start, and by the set-up include."""
