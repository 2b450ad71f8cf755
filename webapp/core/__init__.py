"""The foundation of all rooms: store, events, views, rendering, languages. It imports no room."""
