"""Reports of an exploration: a page, pictures, and a summary for the terminal."""
