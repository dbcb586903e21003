"""Who a model is: its name, its revision, and a hash of what decides its vectors."""
