"""What IPython's kernel is taught: magics, completion, interrupts, short errors."""
