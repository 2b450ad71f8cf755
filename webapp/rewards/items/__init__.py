"""Items: things that members own. Drops deliver them, operators give them, the market sells them."""
