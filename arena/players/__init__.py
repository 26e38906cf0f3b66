"""Everything that can hold a seat."""
