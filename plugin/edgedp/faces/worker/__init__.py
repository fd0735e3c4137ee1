"""The process behind the Neo4j plugin: all the mathematics of a procedure's call, none of the database.

The plugin starts ``python -m edgedp.worker`` and speaks `edgedp.stores.neo4j.frames` with it. The worker
keeps nothing between two requests: the plugin sends what a job needs and keeps the ledger.
"""
