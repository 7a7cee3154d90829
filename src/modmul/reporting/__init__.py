"""Shows the results of an exploration as a page, as pictures, and as a summary for the terminal."""
