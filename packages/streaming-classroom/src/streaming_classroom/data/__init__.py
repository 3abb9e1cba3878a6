"""What lands in a lesson: the datasets, and the factory that lands them batch by batch."""
