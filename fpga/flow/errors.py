"""Errors of the FPGA flow that a user can act on: printed without a traceback."""


class FlowError(Exception):
    """What is wrong and what to do about it. `status` becomes the exit code."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status
