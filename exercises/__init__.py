"""The exercises of the lessons, one module each; ``DA.check("05.2")`` finds them by their number."""
