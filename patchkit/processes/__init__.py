"""Children, within limits: a program that is read, work in further processes, a command of a user."""
