"""Handles chat requests to the proxy, from their arrival to the stored record."""
