"""globs"""
