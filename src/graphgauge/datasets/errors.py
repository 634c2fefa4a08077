"""What can go wrong with data: each message names the dataset, the file and what was expected."""

from __future__ import annotations


class DatasetError(ValueError):
    """A bad request or bad data: unknown name, split or option, impossible value, checksum or counts."""


class MissingData(FileNotFoundError):
    """The data is not at hand and could not be had; the message says what to put where and what was tried."""
