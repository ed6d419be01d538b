"""From a Patch and the files it names to a Plan."""
