"""The flash back end: transactions, scheduling, controllers, commands and their timing."""
