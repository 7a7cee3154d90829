"""A delivery as packages of other tools.  Those for Vivado and Quartus are not tried there."""

WHAT = {
    "fusesoc": "FuseSoC core",
    "ipxact": "IP-XACT component (IEEE 1685-2014)",
    "vivado": "script that packages an IP core, for Vivado",
    "quartus": "component for Platform Designer (Quartus)",
    "litex": "LiteX module",
    "amaranth": "Amaranth component",
}
NAMES = tuple(WHAT)
# The buses of LiteX, the native port (behind CSRs), and None for the design's own streams.
LITEX_BUSES = ("axi4lite", "wishbone", "native", "axi4stream", None)
