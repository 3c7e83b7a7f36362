#!/bin/sh
# pgbench on a PostgreSQL cluster of its own, from which postgres_pgbench.csv.xz was recorded.
#
#     sh traces/pgbench_workload.sh load DIR
#     python traces/record.py --output my.csv.xz --under DIR/cluster -- sh traces/pgbench_workload.sh run DIR
#
# PostgreSQL refuses to run as root: put "runuser -u postgres --" before both uses of sh, with a DIR of that user's.
# BIN is the folder of PostgreSQL's programs if they are not on PATH.
set -eu
PATH="${BIN:-/usr/lib/postgresql/15/bin}:$PATH"
cluster="$2/cluster"
export PGHOST="$2" PGUSER=bench

start() { pg_ctl -D "$cluster" -w -s -l "$2/server.log" -o "-k '$2' -c listen_addresses=''" start; }

case "$1" in
load)
    initdb -D "$cluster" -U bench -A trust --no-sync >"$2/initdb.log"
    cat >>"$cluster/postgresql.conf" <<CONF
shared_buffers = 32MB
checkpoint_timeout = 30s
max_wal_size = 160MB
min_wal_size = 80MB
CONF
    start "$@"
    pgbench -i -q -s 10 postgres 2>"$2/pgbench-load.log"
    ;;
run)
    start "$@"
    pgbench -c 4 -j 1 -t 4000 --random-seed=1 postgres
    ;;
esac
pg_ctl -D "$cluster" -w -s -m fast stop
