"""Children and forks, within limits: a program that is read, work in a second process, a command of a user."""
