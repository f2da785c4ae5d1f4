"""Values worked out along the rows: `shift`, `cumsum`, `rolling`, `rank`."""
