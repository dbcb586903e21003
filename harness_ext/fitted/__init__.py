"""The measures that fit something to the vectors: classifiers, and the words of trees."""
