"""A very small shop."""


class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, price):
        self.items.append((name, price))

    def total(self):
        total = 0
        for name, price in self.items:
            total += price
        return total


class Wishlist:
    def __init__(self):
        self.items = []

    def add(self, name, price):
        self.items.append((name, price))
