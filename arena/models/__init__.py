"""Base models by name, and the script that makes the embedded one."""
