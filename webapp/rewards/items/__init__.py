"""Items: things that members own. Drops deliver them, and members sell them in the market."""
