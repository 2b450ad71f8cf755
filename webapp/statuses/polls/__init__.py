"""polls"""
