"""Local sampling and scoring: one base model in memory, many adapters, every waiting request in one batch."""
