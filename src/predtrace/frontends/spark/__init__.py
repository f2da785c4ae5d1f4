"""The Spark front end: from a classic PySpark DataFrame to the operator model."""
