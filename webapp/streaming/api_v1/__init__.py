"""api_v1"""
