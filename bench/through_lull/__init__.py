"""A real Lull between a bench and its model: services, conditions, homes, and going on."""
