"""tags"""
