"""What `edit` and `multi_edit` are made of: the texts, the steps, the place, the snippet."""
