"""Facts about chip families: what a mapped cell counts as, devices, limits of hard blocks."""
