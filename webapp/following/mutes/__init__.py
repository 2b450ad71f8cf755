"""mutes"""
