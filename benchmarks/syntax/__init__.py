"""How many broken patches the check of syntax finds, and how many real changes it doubts."""
