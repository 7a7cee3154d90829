"""Speed of the tool and figures of the hardware: `make bench`."""
