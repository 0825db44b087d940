"""Programs in other libraries: CasADi, JAX, PyTorch."""
