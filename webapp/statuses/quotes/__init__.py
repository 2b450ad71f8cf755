"""quotes"""
