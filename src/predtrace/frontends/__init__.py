"""Front ends: from the ways people write pipelines to the operator model."""
