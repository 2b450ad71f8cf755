"""The operator's commands about points and what they are for."""
