"""What the keys of papers stand for, as files name them that go out alone."""

from __future__ import annotations

REFERENCES = {
    "alkhaleel2006": "O. Al-Khaleel, C. Papachristou, F. Wolff, K. Pekmestzi: FPGA-based Design of "
    "a Large Moduli Multiplier for Public-Key Cryptographic Systems. International Conference on "
    "Computer Design (ICCD), 314-319, 2006. DOI 10.1109/ICCD.2006.4380834",
    "amanor2005": "D. N. Amanor, C. Paar, J. Pelzl, V. Bunimov, M. Schimmler: Efficient hardware "
    "architectures for modular multiplication on FPGAs. International Conference on Field "
    "Programmable Logic and Applications (FPL), 539-542, 2005. DOI 10.1109/FPL.2005.1515780",
    "dualfips": "T. Zhang, J. Zhu, Y. Liu, F. Chen: The Novel Efficient Dual-field FIPS Modular "
    "Multiplication. KSII Transactions on Internet and Information Systems 14(2), 2020. "
    "DOI 10.3837/tiis.2020.02.015",
    "gallin2019": "Gabriel Gallin, Arnaud Tisserand: Generation of Finely-Pipelined GF(P) "
    "Multipliers for Flexible Curve based Cryptography on FPGAs. IEEE Transactions on Computers "
    "68(11), 1612-1622, November 2019. DOI 10.1109/TC.2019.2920352",
    "kuang2016": "S.-R. Kuang, K.-Y. Wu, R.-Y. Lu: Low-Cost High-Performance VLSI Architecture for "
    "Montgomery Modular Multiplication. IEEE Transactions on Very Large Scale Integration (VLSI) "
    "Systems 24(2), 434-443, 2016. DOI 10.1109/TVLSI.2015.2409113",
}


def reference(key: str) -> str:
    """The paper of a key; the key itself of one that is not known here."""
    return f"{key}: {REFERENCES[key]}" if key in REFERENCES else key
