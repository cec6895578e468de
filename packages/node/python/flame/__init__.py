"""Patterns of federated analyses."""
