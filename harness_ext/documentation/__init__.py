"""Pages and tables that are made from the code's own descriptions; the tests hold them to it."""
