"""To come."""
__all__: list[str] = []
