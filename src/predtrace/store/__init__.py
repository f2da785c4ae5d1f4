"""The run store: what a run leaves behind so that its rows can be traced later, by anyone, anywhere."""
