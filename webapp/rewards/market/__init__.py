"""The market: members sell items to each other for points, at a price or to the highest bidder."""
