"""Load the extension module of a tree-sitter package without the rest of the package.

Takes the name of a package whose `_binding` is a compiled module; gives that module. The packages themselves import
`typing` and `importlib.resources` for what is not needed here, which costs four times as much as all our own work on
a usual command. The module is registered under its own name, so a host that uses the package shares it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def binding(package: str) -> ModuleType:
    """The package's `_binding`; the package itself where that cannot be found on its own."""
    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    home = PathFinder.find_spec(package)
    found = PathFinder.find_spec(name, home.submodule_search_locations) if home else None
    if found is None or found.loader is None:
        return import_module(package)
    from importlib.util import module_from_spec

    module = sys.modules[name] = module_from_spec(found)
    found.loader.exec_module(module)
    return module
