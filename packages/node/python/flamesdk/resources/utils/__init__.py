"""Helpers of analyses."""
