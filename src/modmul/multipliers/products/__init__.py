"""Plain products: array multipliers that know no modulus (alkhaleel2006), and today's yardsticks."""
