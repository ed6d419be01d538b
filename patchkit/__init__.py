"""patchkit: change files with patches that say what they mean.

    import patchkit

    patchkit.apply(text, root="repo")                  # all of it, or PatchkitError and nothing
    plan = patchkit.plan(text, {"a.py": b"x = 1\\n"})   # no disk at all
    plan.commit()

Names are loaded when they are first used, so importing patchkit costs next to nothing.
"""

__version__ = "0.1.0"

_HOMES = {
    "PatchkitError": "patchkit.errors",
    "Patch": "patchkit.language.model",
    "Plan": "patchkit.changes.model",
    "apply": "patchkit.api",
    "make_patch": "patchkit.api",
    "parse": "patchkit.api",
    "plan": "patchkit.api",
    "write": "patchkit.language.writer",
}
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'patchkit' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
