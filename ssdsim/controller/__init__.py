"""What stands between the host's queue and the rest of the device: the host's link and the controller's processor."""
