"""A small order-entry program on SQLite, from which the samples sqlite_*.csv.xz were recorded.

python traces/sqlite_workload.py DATABASE --load
python traces/record.py --output my.csv.xz --under DIR -- python traces/sqlite_workload.py DATABASE --journal wal
"""

import argparse
import random
import sqlite3

SCHEMA = """
CREATE TABLE item (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL, note BLOB NOT NULL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, item INTEGER NOT NULL, amount INTEGER NOT NULL);
CREATE INDEX sale_item ON sale (item);
"""


def load(database: sqlite3.Connection, items: int, rng: random.Random) -> None:
    """Create the tables and fill the stock."""
    database.executescript(SCHEMA)
    notes = ((number, rng.randbytes(250)) for number in range(items))
    database.executemany("INSERT INTO item VALUES (?, 1000, ?)", notes)


def sell(database: sqlite3.Connection, items: int, rng: random.Random) -> None:
    """Take an order of one to five items: three in five from the fifth of the stock that sells best."""
    for _ in range(rng.randint(1, 5)):
        item = rng.randrange(items // 5) if rng.random() < 0.6 else rng.randrange(items)
        amount = rng.randint(1, 3)
        database.execute("UPDATE item SET stock = stock - ? WHERE id = ?", (amount, item))
        database.execute("INSERT INTO sale (item, amount) VALUES (?, ?)", (item, amount))


def main() -> None:
    """Load the database, or run transactions on it, each durable when committed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("database")
    parser.add_argument("--load", action="store_true", help="create and fill the database, and stop")
    parser.add_argument("--items", type=int, default=800_000)
    parser.add_argument("--journal", choices=("wal", "delete", "truncate", "persist"), default="wal")
    parser.add_argument("--transactions", type=int, default=16_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    database, rng = sqlite3.connect(options.database), random.Random(options.seed)
    database.execute(f"PRAGMA journal_mode = {options.journal}")
    database.execute("PRAGMA synchronous = FULL")
    if options.load:
        with database:
            load(database, options.items, rng)
        return
    for _ in range(options.transactions):
        with database:
            sell(database, options.items, rng)
    database.close()


if __name__ == "__main__":
    main()
