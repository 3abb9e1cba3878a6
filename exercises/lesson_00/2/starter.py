readings_landed = None  # land one more day, then count all readings that have landed
