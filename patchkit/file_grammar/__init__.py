"""A grammar that knows the files: what it derives is a patch that applies to them."""
