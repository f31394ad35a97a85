"""Models behind small ports: chat, recognition, synthesis, scoring; a catalog of URIs names them."""
