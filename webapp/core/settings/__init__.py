"""Live settings: changes of the settings that every process learns without a restart."""
