"""What several pages show of one subject: cards, dialogs, feeds and words. It knows no page."""
