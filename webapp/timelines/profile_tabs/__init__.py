"""The tabs of a profile beside its posts: posts with pictures, and likes."""
