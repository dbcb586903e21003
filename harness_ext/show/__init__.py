"""Shows results: tables, figures and pages."""
