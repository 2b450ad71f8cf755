"""pagecache"""
