"""What `read` is made of: one module for each kind of file and for pages of text."""
