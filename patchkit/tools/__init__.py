"""The tools: one module, or one package, a verb; the registry and the one way to call them."""
