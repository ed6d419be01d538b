"""Adapters for the SDKs of agent runtimes, one module each."""
