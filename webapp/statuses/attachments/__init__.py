"""attachments"""
