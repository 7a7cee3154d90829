"""The papers that architectures come from: key, title, authors, place and year of publication.

Whatever names a paper reads it here: headers of delivered files, tables, pages.  The figures that
the papers print stand elsewhere (`papers/figures`), so that correcting a figure changes no emitted
text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A paper.  published: journal or conference, pages and year, as a bibliography has them.

    doi: from the paper or a database; None if neither was available."""

    key: str
    title: str
    authors: tuple[str, ...]
    published: str
    doi: str | None = None

    @property
    def source(self) -> str:
        """Authors, place and year of publication, DOI: the text that follows a title."""
        people = (" and " if len(self.authors) == 2 else ", ").join(self.authors)
        parts = [people, self.published, *([f"doi {self.doi}"] if self.doi else [])]
        return ", ".join(parts)

    def __str__(self) -> str:
        """Key, authors, title, place and year of publication, and DOI in one line."""
        text = f"{self.key}: {', '.join(self.authors)}: {self.title}. {self.published}"
        return f"{text}. DOI {self.doi}" if self.doi else text


_PAPERS = (
    Reference(
        "alkhaleel2006",
        "FPGA-based Design of a Large Moduli Multiplier for Public-Key Cryptographic Systems",
        ("O. Al-Khaleel", "C. Papachristou", "F. Wolff", "K. Pekmestzi"),
        "International Conference on Computer Design (ICCD), 314-319, 2006",
    ),
    Reference(
        "amanor2005",
        "Efficient hardware architectures for modular multiplication on FPGAs",
        ("D. N. Amanor", "C. Paar", "J. Pelzl", "V. Bunimov", "M. Schimmler"),
        "International Conference on Field Programmable Logic and Applications (FPL), 539-542, "
        "2005",
    ),
    Reference(
        "dualfips",
        "The Novel Efficient Dual-field FIPS Modular Multiplication",
        ("T. Zhang", "J. Zhu", "Y. Liu", "F. Chen"),
        "KSII Transactions on Internet and Information Systems 14(2), 2020",
        "10.3837/tiis.2020.02.015",
    ),
    Reference(
        "gallin2019",
        "Generation of Finely-Pipelined GF(P) Multipliers for Flexible Curve based Cryptography on "
        "FPGAs",
        ("Gabriel Gallin", "Arnaud Tisserand"),
        "IEEE Transactions on Computers 68(11), 1612-1622, November 2019",
        "10.1109/TC.2019.2920352",
    ),
    Reference(
        "kuang2016",
        "Low-Cost High-Performance VLSI Architecture for Montgomery Modular Multiplication",
        ("S.-R. Kuang", "K.-Y. Wu", "R.-Y. Lu"),
        "IEEE Transactions on Very Large Scale Integration (VLSI) Systems 24(2), 434-443, 2016",
        "10.1109/TVLSI.2015.2409113",
    ),
)
REFERENCES: Mapping[str, Reference] = {paper.key: paper for paper in _PAPERS}


def reference(key: str) -> str:
    """The paper of this key in one line; for an unknown key, the key itself."""
    return str(REFERENCES.get(key, key))
