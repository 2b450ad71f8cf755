"""A community to show: members who are birds, what they write in English and Chinese, and whom they follow."""
