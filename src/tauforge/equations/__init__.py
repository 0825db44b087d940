"""Equations to read: closed forms as in textbooks, or steps, as LaTeX, Markdown and text."""
