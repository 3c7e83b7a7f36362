"""The transaction scheduling unit and its policies: which transaction a die executes next."""
