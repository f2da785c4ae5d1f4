"""Files as frames and frames as files."""
