"""Links of two kinds, as nested keywords for `tiny_device.tiny_config`."""

NVME = {"lanes": 4, "payload_bytes": 128}
SATA = {
    "lanes": 1,
    "duplex": "half",
    "doorbell_bytes": None,
    "fetch_bytes": None,
    "release_bytes": None,
    "accepted_bytes": 16,
    "read_setup_bytes": 24,
    "payload_bytes": 8192,
}
