"""Run the command line with ``python -m tauforge``."""

from .cli.main import main

main()
