# Installed into the course's environment: its kernels know from their start what a lesson's cells need.
get_config().InteractiveShellApp.extensions.append("streaming_classroom.kernel_start")  # noqa: F821 - IPython gives it
