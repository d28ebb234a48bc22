"""The toy language of the built-in model, and all that knows it.

It makes the whole of Lull testable in seconds and real on any machine. Nothing outside imports this
package but the wiring of the service and the demo, which hand its parts over as ports.
"""
