"""Control of adapters, serving with them and publishing them."""
