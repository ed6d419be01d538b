"""Trees to search, and the programs whose answers ours are compared with."""

from search_fixtures import _no_rules_of_the_user, git, rg, tree  # noqa: F401  # fixtures
