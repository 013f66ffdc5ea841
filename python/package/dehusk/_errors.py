"""The exceptions of the package."""


class Error(Exception):
    """Base of all exceptions of the package."""


class ConfigError(Error, ValueError):
    """A mistake in a configuration. ``key`` is the key with its section, if the mistake is in one."""

    def __init__(self, message, key=None):
        super().__init__(message)
        self.key = key


class InputError(Error, ValueError):
    """The arguments name no archive."""


class ArchiveError(Error):
    """Archives could not be read, or not to their ends. ``archives`` has the name and the message of each."""

    def __init__(self, message, archives=()):
        super().__init__(message)
        self.archives = list(archives)


class RunError(Error):
    """A run could not begin, or its directory could not be written."""


class InUseError(RunError):
    """Another run holds the directory."""


class InternalError(Error):
    """A bug in the package, or something that the system refused."""


class Dropped(Error):
    """A page has no document.

    ``kind`` is ``"filtered"`` or ``"failed"``, ``reason`` is the name of the reason, and ``rule`` is the rule of quality
    that does not hold, if that is the reason.
    """

    def __init__(self, message, kind, reason, rule=None):
        super().__init__(message)
        self.kind = kind
        self.reason = reason
        self.rule = rule

    def __reduce__(self):
        return (type(self), (str(self), self.kind, self.reason, self.rule))
