"""To come."""
__all__: list[str] = []


def save(*arguments: object, **options: object) -> None: ...
