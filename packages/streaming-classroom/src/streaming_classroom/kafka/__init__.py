"""Kafka for lessons: a broker that several kernels share, a lesson's own topics, and the feed into one."""
