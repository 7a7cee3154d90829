PORTS = {}
def theory(p): return "x"
def sections(p): return {}
