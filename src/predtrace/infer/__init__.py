"""Inference: pushes row selections down the operator graph. It knows no operator by name."""
