"""A few records of every trace format, whole, as what damage is done to."""

from ssdsim.workload.formats import FORMATS

_HEADS = {
    "ssdsim_csv": "arrival_ns,op,offset_bytes,size_bytes\n",
    "systor": "timestamp,response,iotype,lun,offset,size\n",
    "fio": "fio version 3 iolog\n",
    "cloudphysics": "version,time,op,size,lbn\n",
    "etw": "BeginHeader\n DiskRead, TimeStamp, P, T, I, ByteOffset, IOSize, ElapsedTime, DiskNum\nEndHeader\n",
}

SAMPLES: dict[str, bytes] = {
    name: (_HEADS.get(name, "") + 4 * (declared.example + "\n")).encode() for name, declared in FORMATS.items()
}
"""Four records by the name of the format, after what a file of it begins with."""

VARIANTS: dict[str, bytes] = {
    "ssdsim_csv with hints": b"arrival_ns,op,offset_bytes,size_bytes,access_latency\n0,read,0,512,low\n9,sync,0,0,0\n",
    "ssdsim_csv out of order": b"arrival_ns,op,offset_bytes,size_bytes\n900,read,0,512\n5,trim,0,4096\n7,flush,0,0\n",
    "msr with tabs and a byte order mark": b"\xef\xbb\xbf128166372010000000\tdemo\t0\tRead\t1048576\t4096\t1\r\n",
    "msr rounded": b"128166372010000000,demo,0,Write,1.82083E+11,4.096E+3,2100\n",
    "blkparse": (
        b"  8,0    1        1     0.000000000  4001  Q   W 2048 + 8 [demo]\n"
        b"253,0    1        2     0.000001000  4001  Q  FN [demo]\n"
        b"  8,0    1        3     0.000002000  4001  A   W 2048 + 8 <- (253,0) 0\n"
        b"  8,0    1        4     0.000003000  4001  D   D 64 + 8 [demo]\nCPU0 (8,0):\n Reads Queued: 0\n"
    ),
    "fiu header": b"0 t=1.5\n1 42 a demo 2048 8 R 8 0 " + b"0" * 32 + b"\n",
    "fio actions": b"fio version 3 iolog\n0 /dev/x add\n1 /dev/x open\n2 /dev/x sync\n3 /dev/x read 0 512\n",
}
"""Records that reach further parts of the readers."""
