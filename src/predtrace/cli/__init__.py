"""The command line. It knows everything below it; nothing knows it."""
