"""The Neo4j store over Bolt, and what the plugin and its worker share. It knows no mechanism."""
