"""Models that read what users type: feedback on answers, kinds of requests, and languages."""
