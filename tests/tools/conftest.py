"""Calls of tools in a workspace of the test's own."""

from tool_fixtures import _no_session_from_outside, file, root, use  # noqa: F401  # fixtures
