"""Trees of the test's own, on a file system in memory where there is one."""

from place_fixtures import _a_usual_umask, everything_is_imported, place, wide_place  # noqa: F401  # fixtures
