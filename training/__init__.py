"""Trains the models of the learned extractor. See README.md."""
