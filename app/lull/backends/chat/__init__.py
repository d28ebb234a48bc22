"""Chat models that Lull asks, and their tasks: judging answers and writing skills."""
