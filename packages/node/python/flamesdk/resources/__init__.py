"""Parts of the interface that analyses import by their own names."""
