"""Changing values and labels one by one: filling, replacing, converting, masking, dropping, arithmetic."""
