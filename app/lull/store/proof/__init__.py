"""Stores proposed skills, and replays: past requests answered again with and without a skill, to
prove a proposed skill or to measure an approved one.
"""
