"""What is looked at when a stream starts: its checkpoint, the columns of its table, and later how it ended."""

from stream_view.starts.start_hooks import install, uninstall

__all__ = ["install", "uninstall"]
