"""The lessons' Spark session: how it is made, configured and started early."""
