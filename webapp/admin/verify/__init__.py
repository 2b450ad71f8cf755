"""`linnet doctor --verify`: whether what the store holds agrees with itself, and mending it."""
