"""Kafka for lessons: a broker that several kernels share, a lesson's topics, and the feed into one."""
