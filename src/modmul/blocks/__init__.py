"""Reusable logic."""
