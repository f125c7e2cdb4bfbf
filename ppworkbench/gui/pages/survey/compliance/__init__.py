"""The view Compliance: did people follow the instructions?"""
